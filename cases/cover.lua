return strategy "cover" {
  plan = "A covering array: every possible triple (with formulas, pair) of level, types, shape parameters and strides.",
  cases = function(op) op:cover(op.plain and 2 or 3) end,
}
