-- With more tensors, triples take longer to plan than a strategy may.
local most_tensors = 7

return strategy "cover_deep" {
  tier = "deep",
  plan = "Covering arrays of triples for the operators that have pairs by default and at most 7 tensors.",
  cases = function(op) if op.plain and #op.tensors <= most_tensors then op:cover(3) end end,
}
