-- Operators without index tensors have no cases here.
local tested = { negative = "negative-indices" }

-- The index tensors themselves padded, permuted and broadcast.
local function strided(op, level, tensor, type, kind)
  for _, class in ipairs { "padded", "permuted", "broadcast" } do
    for _, dims in ipairs { 1, 2, 4, 6, 8 } do
      op:emit { label = kind, indices = kind, room = 2, level = level.name, tests = tested[kind],
        types = { [tensor.group] = type }, parameters = { d = dims }, strides = { [tensor.name] = class } }
    end
  end
end

return strategy "indices" {
  plan = "Index values: positive, negative, mixed, all first, all last, in turn; for each index type, rank, and layout of the indices.",
  cases = function(op)
    for _, tensor in ipairs(op.tensors) do
      for i, level in ipairs(tensor.index and op.levels or {}) do
        for _, type in ipairs(level.types[tensor.group]) do
          for _, kind in ipairs { "positive", "negative", "any", "first", "last", "each" } do
            for dims = 1, 8 do
              op:emit { label = kind, indices = kind, room = 2, level = level.name, tests = tested[kind],
                types = { [tensor.group] = type }, parameters = { d = dims } }
            end
            if i == #op.levels then strided(op, level, tensor, type, kind) end
          end
        end
      end
    end
  end,
}
