-- A spec that ties a condition to itself.
-- Expected: expected conditions
local c = below(attr "Axis", 4)
c.when = c
return operator "GATHER" {
  page = "x", parameters = { { "d", attr "Axis" } },
  rules = { rule "a" { c } },
}
