-- A spec that ties an expression to itself.
-- Expected: within more than
local e = attr "Axis" + 1
e.a = e
return operator "GATHER" {
  page = "x", parameters = { { "d", attr "Axis" } },
  rules = { rule "a" { below(e, 4) } },
}
