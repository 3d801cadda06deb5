return strategy "corners_deep" {
  tier = "deep",
  plan = "Violations of one rule alone, in every possible triple of level, data types, rank and way to break it.",
  cases = function(op)
    for _, rule in ipairs(op.rules) do
      if not rule.behaviour then op:corners(rule.id, 3) end
    end
  end,
}
