-- A device must free every destroyed operator: these cases repeat the calls for one operator
-- (harness/sequence/sequence_growth.c).
return strategy "growth" {
  plan = "Each operator created, dispatched and destroyed again and again: memory, threads and files must level off.",
  cases = function(op)
    op:emit { label = "again", level = op.levels[#op.levels].name, grows = true, indices = "positive" }
  end,
}
