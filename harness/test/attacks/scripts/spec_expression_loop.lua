-- A spec that ties an expression to itself.
-- Expected: within more than
local e = attr "Axis" + 1
e.a = e
return operator "GATHER" {
  page = "x", fields = { input("InputTensor", "data"), output("OutputTensor", "data"), uint "Axis" },
  levels = { ["1_0"] = { data = types.float32, dims = 4 } }, parameters = { { "d", attr "Axis" } },
  rules = { rule "a" { below(e, 4) } },
}
