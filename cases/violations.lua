return strategy "violations" {
  plan = "Each rule broken alone, in every possible way, each with the nearest legal description.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      for _, rule in ipairs(op.rules) do
        if not rule.behaviour then op:violate(level.name, rule.id) end
      end
    end
  end,
}
