return strategy "cover" {
  plan = "A covering array: every three values of feature level, data types, shape parameters and strides of each tensor meet in a case.",
  cases = function(op) op:cover(3) end,
}
