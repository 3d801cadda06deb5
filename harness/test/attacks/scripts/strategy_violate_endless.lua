-- A strategy that breaks rules without end.
-- Expected: ran for more than|two cases
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    while true do for _, r in ipairs(op.rules) do if not r.behaviour then op:violate(op.levels[1].name, r.id) end end end
  end,
}
