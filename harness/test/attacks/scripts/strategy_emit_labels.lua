-- A strategy that asks for different cases without end.
-- Expected: ran for more than
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    local i = 0
    while true do i = i + 1 op:emit { label = "a" .. i } end
  end,
}
