-- The shapes of CONVOLUTION, both directions.
local D, G = dims "InputTensor", attr "GroupCount"
local forward, backward = equal(attr "Direction", 0), equal(attr "Direction", 1)
local window = slice(sizes "FilterTensor", 2, dims "FilterTensor")
local input, output = slice(sizes "InputTensor", 2, D), slice(sizes "OutputTensor", 2, dims "OutputTensor")
local extent = (window - 1) * list "Dilations" + 1
local fused = { 35, 36, 37 } -- some activations

return operator "CONVOLUTION" {
  parameters = { { "d", D }, { "g", G } },
  domains = { GroupCount = { 1, 3, usual = 1 } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-type" { same "DataType" },
    rule "mode" { one_of(attr "Mode", { 0, 1 }) },
    rule "direction" { one_of(attr "Direction", { 0, 1 }) },
    rule "groups" { at_least(G, 1), divides(G, size("InputTensor", 1)) },
    rule "batch" { equal(size("OutputTensor", 0), size("InputTensor", 0)) },
    rule "channels-forward" {
      when(forward, equal(size("FilterTensor", 1) * G, size("InputTensor", 1)),
        divides(G, size("FilterTensor", 0)), equal(size("OutputTensor", 1), size("FilterTensor", 0))) },
    rule "channels-backward" {
      when(backward, equal(size("FilterTensor", 0), size("InputTensor", 1)),
        equal(size("OutputTensor", 1), size("FilterTensor", 1) * G)) },
    rule "bias-sizes" { when(present "BiasTensor",
        equal(sizes "BiasTensor", replace(filled(1, D), 1, size("OutputTensor", 1)))) },
    windows { input = "InputTensor", output = "OutputTensor", window = window, dilations = true,
      extra = list "OutputPadding",
      when = forward },
    rule "sizes-backward" {
      when(backward,
        at_least(output - list "OutputPadding" + list "StartPadding" + list "EndPadding", extent),
        equal((output - list "OutputPadding" + list "StartPadding" + list "EndPadding" - extent) // list "Strides" + 1,
          input)),
      strength = "soft" },
    rule "fused-type" { when(present "FusedActivation", one_of(operator_type "FusedActivation", fused)) },
    rule "fused-tensors" { when(present "FusedActivation", equal(member_given("FusedActivation", 0), 0)),
      strength = "soft" },
  },
}
