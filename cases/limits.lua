return strategy "limits" {
  plan = "Every attribute and bounded size at its lowest and its highest legal value, at every feature level and rank.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      for _, limit in ipairs(op.limits) do
        for dims = 1, 8 do
          local large = limit.high and (limit.most or 0) > 1000 -- then the other sizes are small
          op:emit { label = limit.label, level = level.name, limit = limit, tests = limit.rule, parameters = { d = dims },
            elements = large and 70000 or nil, largest = large and 2 or nil }
        end
      end
    end
  end,
}
