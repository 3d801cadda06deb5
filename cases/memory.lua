return strategy "memory" {
  plan = "What must change nothing: TotalTensorSizeInBytes above the least, alignments, inputs OWNED_BY_DML, a second dispatch.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      for _, slack in ipairs { 4, 16, 1024 } do
        op:emit { label = "slack-" .. slack, level = level.name, slack = slack, tests = "total-size" }
      end
      for _, slack in ipairs { 1, 2, 3, 5 } do
        op:emit { label = "slack-" .. slack, level = level.name, slack = slack, tests = "total-multiple" }
      end
      for _, alignment in ipairs { 1, 2, 4, 8, 16, 32, 256, 4096 } do
        op:emit { label = "alignment-" .. alignment, level = level.name, alignment = alignment, tests = "alignment" }
      end
      for copy = 1, 4 do op:emit { label = "again-" .. copy, level = level.name, again = true, tests = "outside" } end
      op:emit { label = "owned", level = level.name, owned = true, tests = "flag-bits" }
    end
  end,
}
