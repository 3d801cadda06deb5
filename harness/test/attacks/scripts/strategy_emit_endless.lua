-- A strategy that asks for cases without end.
-- Expected: two cases
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    while true do op:emit { label = "a" } end
  end,
}
