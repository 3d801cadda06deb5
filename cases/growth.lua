-- What is destroyed must be freed: the calls for one operator, made again and again (harness/worker/sequence_growth.c).
return strategy "growth" {
  plan = "Each operator made, dispatched and destroyed again and again: what the process uses must not grow and grow.",
  cases = function(op)
    op:emit { label = "again", level = op.levels[#op.levels].name, grows = true, indices = "positive" }
  end,
}
