-- Adds a case if `wanted(level, number, dims)` is true; `level` is the number of the level, and `number` that of the
-- combination of types.
local function each(op, wanted)
  for i, level in ipairs(op.levels) do
    local groups, number = {}, 0
    for group in pairs(level.types) do groups[#groups + 1] = group end
    local function choose(g, chosen)
      if g > #groups then
        number = number + 1
        for dims = 1, 8 do
          if wanted(i, number, dims) then op:emit { level = level.name, types = chosen, parameters = { d = dims } } end
        end
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

-- Operators with formulas have each combination with one rank at the highest level by default.
local function is_first(op, level, number, dims)
  return not op.plain or level == #op.levels and number % 8 == dims - 1
end

return strategy "types" {
  plan = "Every combination of data types and rank in the table of every feature level, on small tensors of random shape.",
  cases = function(op) each(op, function(...) return is_first(op, ...) end) end,
  deep = function(op) each(op, function(...) return not is_first(op, ...) end) end,
}
