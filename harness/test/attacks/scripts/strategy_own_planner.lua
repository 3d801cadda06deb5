-- A strategy that calls a method with another table.
-- Expected: expected
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    op.emit(1, 2)
  end,
}
