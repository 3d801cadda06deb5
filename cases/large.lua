-- Tensors too large for every run. Byte offsets pass 2^27, 2^30, 2^31 and 2^32; element offsets pass 2^28 and 2^29. A machine
-- without enough memory skips a case. `once`: one case per tensor.
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

-- One row, of which many elements become one, or from which a few are chosen: a case for each constant of the enumerations.
-- Each element of an output made of a slice has a formula over it, so a row takes longest there.
local row, slice, chosen_from, chosen = 64 << 20, 8 << 20, 16 << 20, 100
local of_rows = { FLOAT32 = true, INT32 = true }

-- Whether the constants make it look for an extreme.
local function is_extreme(op, constants)
  for _, some in ipairs(op.extremes) do
    local all = true
    for attribute, constant in pairs(some) do all = all and constants[attribute] == constant end
    if all then return true end
  end
  return false
end

-- `request`: what makes it a row, and `most`: elements of an output. Returns whether there is such a case.
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
      if of_rows[type] and not given[type] and op:possible(request) then -- emit() finds possible what nobody asks for
        op:emit(request)
        given[type], done = true, true
      end
    end
  end
  return done
end

local function emit_rows(op)
  for _, letter in ipairs(op.parameters) do -- how many are chosen is one of them, and no other one can be as many
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
