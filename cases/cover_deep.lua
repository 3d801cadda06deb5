return strategy "cover_deep" {
  tier = "deep",
  plan = "Covering arrays of triples for the operators that have pairs by default.",
  cases = function(op) if op.plain then op:cover(3) end end,
}
