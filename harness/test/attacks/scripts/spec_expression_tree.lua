-- A spec that nests an expression in itself, so that there are 2^90 ways through it.
-- Expected: memory|ran for more than
local e = attr "Axis" + 1
for i = 1, 90 do
  local f = e + e
  f.text, f.a, f.b, e.text = "x", e, e, "x"
  e = f
end
return operator "GATHER" {
  page = "x", parameters = { { "d", attr "Axis" } },
  rules = { rule "a" { below(e, 4) } },
}
