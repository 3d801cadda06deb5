-- A strategy that asks for combinations without end.
-- Expected: memory|ran for more than
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    while true do op:cover(3) end
  end,
}
