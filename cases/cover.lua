return strategy "cover" {
  plan = "A covering array: every possible triple of values of level, data types, shape parameters and strides of each tensor.",
  cases = function(op) op:cover(3) end,
}
