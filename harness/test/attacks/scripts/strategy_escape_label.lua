-- A strategy that asks for a case whose name controls the terminal.
-- Expected: name
return strategy "attack" {
  plan = "an attack",
  cases = function(op)
    op:emit { label = "\27[31m" }
  end,
}
