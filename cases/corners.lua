-- Operators whose outputs have formulas share their rules, so those with many types break each rule in every single value
-- of them; the tier deep has the triples.
local many = 4

local function strength(op)
  local widest = 0
  for _, level in ipairs(op.levels) do
    for _, types in pairs(level.types) do widest = math.max(widest, #types) end
  end
  return op.plain and widest * #op.tensors > many and 1 or 2
end

return strategy "corners" {
  plan = "Each rule broken alone in every possible pair of level, data types, rank and way to break it, or in every value of them.",
  cases = function(op)
    for _, rule in ipairs(op.rules) do
      if not rule.behaviour then op:corners(rule.id, strength(op)) end
    end
  end,
}
