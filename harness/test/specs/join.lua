local W, axis = "OutputTensor", attr "Axis"

return operator "JOIN" {
  parameters = { { "d", dims(W) } },
  rules = {
    rule "count-positive" { at_least(attr "InputCount", 1) },
    rule "parts-given" { when(at_least(attr "InputCount", 1), present "InputTensors") },
    rule "axis-range" { below(axis, dims(W)) },
    rule "parts-dims" { every("InputTensors", function(P) return equal(dims(P), dims(W)) end) },
    rule "parts-type" { every("InputTensors", function(P) return equal(data_type(P), data_type(W)) end) },
    rule "parts-sizes" {
      every("InputTensors", function(P) return equal(replace(sizes(P), axis, 1), replace(sizes(W), axis, 1)) end) },
    rule "axis-sum" { when(at_least(attr "InputCount", 1),
        equal(size(W, axis), sum(map("InputTensors", function(P) return size(P, axis) end)))) },
  },
}
