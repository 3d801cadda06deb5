-- Calls found(level, number, types) for each combination of data types of every level; `level` is the number of the
-- level, and `number` that of the combination.
local function each_combination(op, found)
  for i, level in ipairs(op.levels) do
    local groups, number = {}, 0
    for group in pairs(level.types) do groups[#groups + 1] = group end
    local function choose(g, chosen)
      if g > #groups then
        number = number + 1
        found(i, number, chosen)
        return
      end
      for _, type in ipairs(level.types[groups[g]]) do
        chosen[groups[g]] = type
        choose(g + 1, chosen)
      end
    end
    choose(1, {})
  end
end

local function emit(op, level, types, dims)
  return op:emit { level = op.levels[level].name, types = types, parameters = { d = dims } }
end

-- Adds one case of the combination: of the first rank from 1 + number % 8 on that a legal description has.
local function emit_one(op, level, number, types)
  for i = 0, 7 do
    if emit(op, level, types, 1 + (number + i) % 8) then return end
  end
end

-- Returns true if the default cases have this combination with one rank: operators with formulas have each combination
-- of the highest level, the others each combination with each rank.
local function has_one_rank(op, level) return op.plain and level == #op.levels end

return strategy "types" {
  plan = "Every combination of data types in the table of every feature level, on small tensors of random shape: of every "
    .. "rank, or of one rank if the operator has a formula.",
  cases = function(op)
    each_combination(op, function(level, number, types)
      if has_one_rank(op, level) then
        emit_one(op, level, number, types)
      elseif not op.plain then
        for dims = 1, 8 do emit(op, level, types, dims) end
      end
    end)
  end,
  deep = function(op)
    each_combination(op, function(level, number, types)
      for dims = 1, 8 do
        if op.plain and not (level == #op.levels and dims == 1 + number % 8) then emit(op, level, types, dims) end
      end
    end)
  end,
}
