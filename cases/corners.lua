-- Operators with formulas share their rules. An operator with many types therefore breaks each rule in every single
-- value instead of every pair; the tier deep has the triples.
local many = 4

local function strength(op)
  local widest = 0
  for _, level in ipairs(op.levels) do
    for _, types in pairs(level.types) do widest = math.max(widest, #types) end
  end
  return op.plain and widest * #op.tensors > many and 1 or 2
end

return strategy "corners" {
  plan = "Violations of one rule alone, in every possible pair (or value) of level, types, rank and way to break it.",
  cases = function(op)
    for _, rule in ipairs(op.rules) do
      if not rule.behaviour then op:corners(rule.id, strength(op)) end
    end
  end,
}
