-- The behaviour that each kind of indices tests. This strategy has no cases for operators without index tensors.
local tested = { negative = "negative-indices", duplicates = "duplicates", above = "out-of-range", below = "out-of-range",
  far = "out-of-range" }

local function has(op, rule)
  for _, known in ipairs(op.rules) do if known.id == rule then return true end end
end

-- Returns the behaviour that indices of this kind test, if the operator has it.
local function tested_by(op, kind) return has(op, tested[kind]) and tested[kind] or nil end

-- Adds cases with padded, permuted and broadcast index tensors.
local function strided(op, level, tensor, type, kind)
  for _, class in ipairs { "padded", "permuted", "broadcast" } do
    for _, dims in ipairs { 1, 2, 4, 6, 8 } do
      op:emit { label = kind, indices = kind, room = 2, level = level.name, tests = tested_by(op, kind),
        types = { [tensor.group] = type }, parameters = { d = dims }, strides = { [tensor.name] = class } }
    end
  end
end

return strategy "indices" {
  plan = "Indices: positive, negative, mixed, first, last, in order, repeated, out of range; each type, rank, layout.",
  cases = function(op)
    for _, tensor in ipairs(op.tensors) do
      for i, level in ipairs(tensor.index and op.levels or {}) do
        for _, type in ipairs(level.types[tensor.group]) do
          for _, kind in ipairs { "positive", "negative", "any", "first", "last", "each" } do
            for dims = 1, 8 do
              op:emit { label = kind, indices = kind, room = 2, level = level.name, tests = tested_by(op, kind),
                types = { [tensor.group] = type }, parameters = { d = dims } }
            end
            if i == #op.levels then strided(op, level, tensor, type, kind) end
          end
          for dims = 1, i == #op.levels and 8 or 0 do
            op:emit { label = "descending", indices = "descending", room = 2, level = level.name,
              types = { [tensor.group] = type }, parameters = { d = dims } }
          end
          -- The device's choice is visible only if all elements differ. Narrow types have few values, so some tensors
          -- are small.
          for _, kind in ipairs { "duplicates", "above", "below", "far" } do
            for dims = 1, has(op, tested[kind]) and 8 or 0 do
              for _, elements in ipairs { 50, 100, 4096 } do
                op:emit { label = ("%s-%d"):format(kind, elements), indices = kind, room = 2, level = level.name,
                  tests = tested[kind], types = { [tensor.group] = type }, parameters = { d = dims }, fill = "distinct",
                  elements = elements }
              end
            end
          end
        end
      end
    end
  end,
}
