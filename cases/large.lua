-- Tensors too large for every run. Byte offsets pass 2^27, 2^30, 2^31 and 2^32; element offsets pass 2^28 and 2^29. A
-- machine without enough memory skips a case. `once`: one case for each tensor.
local sizes = {
  { label = "past-128-mib", type = "FLOAT32", size = 42000001 },
  { label = "past-128-mib-of-bytes", type = "UINT8", size = 170000003 },
  { label = "past-1-gib", type = "FLOAT64", size = 140000003, once = true },
  { label = "past-2-gib", type = "FLOAT64", size = 270000001, once = true },
  { label = "past-4-gib", type = "FLOAT64", size = 540000001, once = true },
}

local function has(level, group, wanted)
  for _, type in ipairs(level.types[group]) do if type == wanted then return true end end
end

local function emit_at(op, level, tensor, large, from_last, indices)
  return op:emit { label = ("%s-%s-%d-%s"):format(large.label, tensor.name, from_last, indices), level = level.name,
    indices = indices, types = { [tensor.group] = large.type }, largest = 2, elements = large.size + large.size // 8,
    size = { tensor = tensor.name, from_last = from_last, size = large.size } }
end

-- One long row that the operator folds to one element, or selects a few elements from: a case for each constant of the
-- enumerations. A slice is evaluated for each element of the output, so its row is shorter.
local row, slice, chosen_from, chosen = 64 << 20, 8 << 20, 16 << 20, 100
local of_rows = { FLOAT32 = true, INT32 = true }

-- True if the operator searches an extreme with these constants.
local function is_extreme(op, constants)
  for _, some in ipairs(op.extremes) do
    local all = true
    for attribute, constant in pairs(some) do all = all and constants[attribute] == constant end
    if all then return true end
  end
  return false
end

-- Adds a case for each type. `request` makes the input one row; `most` is the maximum of the elements of an output.
-- Returns true if the operator has such a case.
local function emit_row(op, label, fill, request, most)
  local first, level, done = op.tensors[1], op.levels[#op.levels], false
  request.level, request.largest, request.most, request.elements = level.name, 1, {}, request.size.size
  request.size.tensor, request.size.from_last = first.name, 0
  for _, tensor in ipairs(most and op.tensors or {}) do
    if tensor.kind == "output" then request.most[tensor.name] = most end
  end
  local all = possible_types(op, level, 150)
  for _, constants in ipairs(combinations(op.enumerations, 16)) do
    request.fill, request.attributes = fill or is_extreme(op, constants) and "peaks" or "units", constants
    local name, given = { label, request.fill }, {}
    for _, constant in pairs(constants) do name[#name + 1] = constant:lower() end
    request.label = table.concat(name, "-")
    for _, types in ipairs(all) do
      local type = types[first.group]
      request.types = types
      if of_rows[type] and not given[type] and op:possible(request) then -- emit() also returns true for a filtered case
        op:emit(request)
        given[type], done = true, true
      end
    end
  end
  return done
end

local function emit_rows(op)
  for _, letter in ipairs(op.parameters) do -- only the count of selected elements can be this large
    for _, fill in ipairs(op.selects and { "ordinary", "sparse" } or {}) do
      emit_row(op, "100-of-16-mi", fill, { parameters = { [letter] = chosen }, size = { size = chosen_from } }, chosen)
    end
  end
  if op.slices then
    emit_row(op, "slice-of-8-mi", nil, { slice = slice, size = { size = slice } })
  elseif op.folds and not emit_row(op, "64-mi-to-1", nil, { size = { size = row } }, 1) then
    emit_row(op, "row-of-64-mi", nil, { parameters = { d = 1 }, size = { size = row } })
  end
end

return strategy "large" {
  tier = "large",
  plan = "Inputs past 128 MiB, 1 GiB, 2 GiB and 4 GiB, with indices anywhere and at the far end; folds of one row of 64 Mi " ..
    "elements, slices of 8 Mi, the first 100 of 16 Mi.",
  cases = function(op)
    local level = op.levels[#op.levels]
    for _, tensor in ipairs(op.tensors) do
      for _, large in ipairs(tensor.kind == "input" and not tensor.index and sizes or {}) do
        for from_last = 0, has(level, tensor.group, large.type) and (large.once and 0 or 1) or -1 do
          if not (emit_at(op, level, tensor, large, from_last, "last") and large.once) then
            emit_at(op, level, tensor, large, from_last, "any")
          end
        end
      end
    end
    emit_rows(op)
  end,
}
