-- Operators without index tensors have no cases here.
local tested = { negative = "negative-indices" }

local function index_groups(op)
  local groups = {}
  for _, tensor in ipairs(op.tensors) do if tensor.index then groups[#groups + 1] = tensor.group end end
  return groups
end

return strategy "indices" {
  plan = "Index values: positive, negative, mixed, all first, all last; for each index type, rank and size of element.",
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
        end
      end
    end
  end,
}
