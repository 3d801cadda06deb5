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

local function request(op, level, types, dims)
  return { level = op.levels[level].name, types = types, parameters = { d = dims } }
end

-- Returns the first rank from 1 + number % 8 on that a legal description of the combination has; nil: there is none.
local function one_rank(op, level, number, types)
  for i = 0, 7 do
    local dims = 1 + (number + i) % 8
    if op:possible(request(op, level, types, dims)) then return dims end
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
        local dims = one_rank(op, level, number, types)
        if dims then op:emit(request(op, level, types, dims)) end
      elseif not op.plain then
        for dims = 1, 8 do op:emit(request(op, level, types, dims)) end
      end
    end)
  end,
  deep = function(op)
    if not op.plain then return end
    each_combination(op, function(level, number, types)
      local taken = has_one_rank(op, level) and one_rank(op, level, number, types)
      for dims = 1, 8 do
        if dims ~= taken then op:emit(request(op, level, types, dims)) end
      end
    end)
  end,
}
