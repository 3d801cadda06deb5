-- For operators that fold many elements to one, with each constant of the enumerations: rows with sizes next to those
-- of work-groups and tiles. The elements give the same result in every order of arithmetic, so a missing element
-- changes the result. A missing element changes an extreme only if it is the extreme: rows for extremes have it at
-- their ends and next to the edges of tiles.
local sizes = { 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 1030, 1151,
  1535, 1999 }
local long = { 4096, 4097, 16383, 65537, 100003 }

-- Returns one combination for each type of the first tensor: the type of the accumulator differs.
local function types_of(op)
  local found, has = {}, {}
  for _, types in ipairs(possible_types(op, op.levels[#op.levels], 150)) do
    local type = types[op.tensors[1].group]
    if not has[type] then
      has[type] = true
      found[#found + 1] = types
    end
  end
  return found
end

local function emit(op, fill, types, constants, label, from_last, size)
  for _, constant in pairs(constants) do label = label .. "-" .. constant:lower() end
  return op:emit { label = label, fill = fill, level = op.levels[#op.levels].name, types = types, attributes = constants,
    largest = 3, elements = 3 * size + 64, size = { tensor = op.tensors[1].name, from_last = from_last, size = size } }
end

local function has(constants, some)
  for attribute, constant in pairs(some) do
    if constants[attribute] ~= constant then return false end
  end
  return true
end

-- Each row has a maximum and a minimum: two rows have them at the ends, and two at each edge of a tile.
local peaks = { { size = 259, rows = 10 }, { size = 1027, rows = 14 } }

local function emit_peaks(op, all, constants, first)
  local output
  for _, tensor in ipairs(op.tensors) do output = tensor.kind == "output" and tensor.name or output end
  for p, peak in ipairs(peaks) do
    local label, left = ("peaks-%d"):format(peak.size), 2 -- number of types
    for _, constant in pairs(constants) do label = label .. "-" .. constant:lower() end
    for t = 1, #all do
      local types = all[(t + first + p) % #all + 1]
      if left > 0 and op:emit { label = label, fill = "peaks", level = op.levels[#op.levels].name, types = types,
        attributes = constants, largest = 1, elements = peak.size * peak.rows,
        size = { tensor = op.tensors[1].name, from_last = first % 2, size = peak.size, beside = peak.rows },
        least = { [output] = peak.rows }, most = { [output] = peak.rows } } then
        left = left - 1
      end
    end
  end
end

return strategy "rows" {
  plan = "Rows of 1 to 100,003 elements whose sums and products are exact in any order, and rows whose extremes are at the " ..
    "ends and at the edges of tiles; for each function.",
  cases = function(op)
    if not op.folds then return end
    local all = types_of(op)
    for c, constants in ipairs(combinations(op.enumerations, 16)) do
      for _, some in ipairs(op.extremes) do
        if has(constants, some) then emit_peaks(op, all, constants, c) end
      end
      for t, types in ipairs(all) do
        for i, size in ipairs(sizes) do
          if (i + t + c) % #all < 2 then -- two types for each size
            emit(op, "units", types, constants, "units-" .. size, (i + c) % 2, size)
          end
        end
        if t <= 2 then emit(op, "units", types, constants, "units-" .. long[(t + c) % #long + 1], 0, long[(t + c) % #long + 1]) end
        emit(op, "ordinary", types, constants, "ordinary-300", 0, 300)
      end
    end
  end,
}
