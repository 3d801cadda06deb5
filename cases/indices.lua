-- Operators without index tensors have no cases here.
local tested = { negative = "negative-indices", duplicates = "duplicates", above = "out-of-range", below = "out-of-range",
  far = "out-of-range" }

local function index_groups(op)
  local groups = {}
  for _, tensor in ipairs(op.tensors) do if tensor.index then groups[#groups + 1] = tensor.group end end
  return groups
end

local function has(op, rule)
  for _, known in ipairs(op.rules) do if known.id == rule then return true end end
end

return strategy "indices" {
  plan = "Index values: positive, negative, all first, all last, repeated, out of range; for each index type, rank and size of element.",
  cases = function(op)
    for _, group in ipairs(index_groups(op)) do
      for _, level in ipairs(op.levels) do
        for _, type in ipairs(level.types[group]) do
          for _, kind in ipairs { "positive", "negative", "any", "first", "last" } do
            for dims = 1, 8 do
              op:emit { label = kind, indices = kind, room = 2, level = level.name, tests = tested[kind],
                types = { [group] = type }, parameters = { d = dims } }
            end
          end
          -- What the documents leave open shows where every element differs from every other: on few of them for narrow types.
          for _, kind in ipairs { "duplicates", "above", "below", "far" } do
            for dims = 1, has(op, tested[kind]) and 8 or 0 do
              for _, elements in ipairs { 50, 100, 4096 } do
                op:emit { label = ("%s-%d"):format(kind, elements), indices = kind, room = 2, level = level.name,
                  tests = tested[kind], types = { [group] = type }, parameters = { d = dims }, fill = "distinct",
                  elements = elements }
              end
            end
          end
        end
      end
    end
  end,
}
