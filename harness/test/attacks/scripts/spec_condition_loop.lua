-- A spec that ties a condition to itself.
-- Expected: expected conditions
local c = below(attr "Axis", 4)
c.when = c
return operator "GATHER" {
  page = "x", fields = { input("InputTensor", "data"), output("OutputTensor", "data"), uint "Axis" },
  levels = { ["1_0"] = { data = types.float32, dims = 4 } }, parameters = { { "d", attr "Axis" } },
  rules = { rule "a" { c } },
}
