-- Of operators whose outputs have formulas: the highest level. (The others are in the tier deep, and in corners.)
return strategy "violations" {
  plan = "Each rule broken alone, in every possible way, each with the nearest legal description.",
  cases = function(op)
    for i, level in ipairs(op.levels) do
      for _, rule in ipairs((not op.formula or i == #op.levels) and op.rules or {}) do
        if not rule.behaviour then op:violate(level.name, rule.id) end
      end
    end
  end,
  deep = function(op)
    for i = 1, op.formula and #op.levels - 1 or 0 do
      for _, rule in ipairs(op.rules) do
        if not rule.behaviour then op:violate(op.levels[i].name, rule.id) end
      end
    end
  end,
}
