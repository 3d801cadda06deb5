-- A strategy that asks for a case with a huge name.
-- Expected: name
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    op:emit { label = ("a"):rep(1 << 20) }
  end,
}
