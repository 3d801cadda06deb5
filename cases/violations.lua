-- Adds cases if `wanted(level, rule)` is true; `level` is the number of the level.
local function each(op, wanted)
  for i, level in ipairs(op.levels) do
    for _, rule in ipairs(op.rules) do
      if not rule.behaviour and wanted(i, rule) then op:violate(level.name, rule.id) end
    end
  end
end

-- Operators with formulas have the highest level that has the rule, and the lowest level for the rule `introduced`, by
-- default. (The strategy corners has all levels.)
local function is_first(op, level, rule)
  return not op.plain or level == rule.last or level == 1 and rule.id == "introduced"
end

return strategy "violations" {
  plan = "Violations of one rule alone, in every possible way, each with the nearest legal description.",
  cases = function(op) each(op, function(...) return is_first(op, ...) end) end,
  deep = function(op) each(op, function(...) return not is_first(op, ...) end) end,
}
