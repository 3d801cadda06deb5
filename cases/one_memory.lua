-- device.h allows that inputs have one memory: x + x, or a tensor normalised by itself.
local types_most = 4

-- Returns the number of inputs that hold data.
local function inputs(op)
  local count = 0
  for _, tensor in ipairs(op.tensors) do
    count = count + (tensor.kind == "input" and not tensor.index and 1 or 0)
  end
  return count
end

-- Returns the types, by group, with which all data inputs have one type.
local function types_of(op, level)
  local found = {}
  for _, types in ipairs(possible_types(op, level, 150)) do
    local only, all = nil, true
    for _, tensor in ipairs(op.tensors) do
      if tensor.kind == "input" and not tensor.index then
        all = all and types[tensor.group] == (only or types[tensor.group])
        only = types[tensor.group]
      end
    end
    if all then found[#found + 1] = types end
  end
  return found
end

return strategy "one_memory" {
  plan = "Inputs that agree in type, sizes and strides have one memory, packed and permuted; for some data types.",
  cases = function(op)
    local level = op.levels[#op.levels]
    if inputs(op) < 2 then return end
    local all = types_of(op, level)
    for n = 1, math.min(#all, types_most) do
      local types = all[1 + (n - 1) * #all // math.min(#all, types_most)]
      for dims = 2, 5, 3 do
        op:emit { label = "same", level = level.name, types = types, parameters = { d = dims }, one_memory = true }
      end
      op:emit { label = "long", level = level.name, types = types, one_memory = true, elements = 5000,
        size = { tensor = free_tensor(op).name, from_last = 0, size = 1031 } }
    end
    op:emit { label = "again", level = level.name, one_memory = true, again = true }
  end,
}
