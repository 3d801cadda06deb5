-- A spec that nests an expression in itself, so that there are 2^90 ways through it.
-- Expected: memory|ran for more than
local e = attr "Axis" + 1
for i = 1, 90 do
  local f = e + e
  f.text, f.a, f.b, e.text = "x", e, e, "x"
  e = f
end
return operator "GATHER" {
  page = "x", fields = { input("InputTensor", "data"), output("OutputTensor", "data"), uint "Axis" },
  levels = { ["1_0"] = { data = types.float32, dims = 4 } }, parameters = { { "d", attr "Axis" } },
  rules = { rule "a" { below(e, 4) } },
}
