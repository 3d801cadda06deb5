-- `wanted(level, rule)`: whether cases are, `level` being the number of the level.
local function each(op, wanted)
  for i, level in ipairs(op.levels) do
    for _, rule in ipairs(op.rules) do
      if not rule.behaviour and wanted(i, rule) then op:violate(level.name, rule.id) end
    end
  end
end

-- Of operators whose outputs have formulas: the highest level that has the rule, and the first one for what it introduced.
-- (Corners have all levels.)
local function is_first(op, level, rule)
  return not op.plain or level == rule.last or level == 1 and rule.id == "introduced"
end

return strategy "violations" {
  plan = "Each rule broken alone, in every possible way, each with the nearest legal description.",
  cases = function(op) each(op, function(...) return is_first(op, ...) end) end,
  deep = function(op) each(op, function(...) return not is_first(op, ...) end) end,
}
