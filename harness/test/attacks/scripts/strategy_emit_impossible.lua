-- A strategy that asks for cases that cannot be, without end.
-- Expected: ran for more than
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    while true do
      op:emit { label = "a", elements = 1, size = { tensor = op.tensors[1].name, from_last = 1, size = 1000 } }
    end
  end,
}
