-- Returns the inputs that share the memory of the output in `way`, the output, and the names of the inputs.
local function members(op, way)
  local shared, names, output = {}, {}, nil
  for _, tensor in ipairs(op.tensors) do
    if way[tensor.name] then
      shared[#shared + 1], names[#names + 1], output = tensor, tensor.name, way[tensor.name]
    end
  end
  for _, tensor in ipairs(op.tensors) do if tensor.name == output then shared[#shared + 1] = tensor end end
  return shared, table.concat(names, "-")
end

-- Returns the types, by group, that all these tensors may have.
local function types_of(level, tensors)
  local found = {}
  for _, type in ipairs(level.types[tensors[1].group]) do
    local types = {}
    for _, tensor in ipairs(tensors) do
      for _, one in ipairs(level.types[tensor.group]) do if one == type then types[tensor.group] = type end end
    end
    local all = true
    for _, tensor in ipairs(tensors) do all = all and types[tensor.group] end
    if all then found[#found + 1] = types end
  end
  return found
end

-- Adds the cases of a level. The tensors have enough elements for a whole vector and a remainder.
local function at_level(op, level, way)
  local tensors, name = members(op, way)
  local types, first = types_of(level, tensors), tensors[1].name
  local function emit(label, type, request)
    request.label, request.level, request.in_place, request.tests = name .. label, level.name, way, "in-place"
    request.types, request.parameters = types[1 + type % #types], request.parameters or { d = 2 + type % 4 }
    request.least = { [first] = 23 }
    op:emit(request)
  end
  local highest = level == op.levels[#op.levels]
  for i = 0, highest and #types - 1 or 0 do emit("", i, {}) end
  if not highest then return end
  for i, class in ipairs { "padded", "permuted" } do
    local shared, all = {}, {}
    for _, tensor in ipairs(tensors) do shared[tensor.name] = class end
    for _, tensor in ipairs(op.tensors) do all[tensor.name] = class end
    for dims = 2, 4, 2 do emit("", i + dims, { strides = shared, parameters = { d = dims } }) end
    if #tensors < #op.tensors then emit("-all", i, { strides = all }) end
  end
  emit("-again", 0, { again = true })
  emit("-sparse", #types - 1, { fill = "sparse" })
  emit("-special", 0, { fill = "special" })
  emit("-large", 0, { elements = 5000, size = { tensor = first, from_last = 0, size = 1031 } })
end

return strategy "in_place" {
  plan = "In-place execution: an input has the memory of the output, packed and strided; for each type and level.",
  cases = function(op)
    for _, way in ipairs(op.in_place) do
      for _, level in ipairs(op.levels) do at_level(op, level, way) end
    end
  end,
}
