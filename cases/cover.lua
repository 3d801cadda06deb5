return strategy "cover" {
  plan = "A covering array: every possible triple of level, data types, shape parameters and strides of each tensor; of formulas, pairs.",
  cases = function(op) op:cover(op.plain and 2 or 3) end,
}
