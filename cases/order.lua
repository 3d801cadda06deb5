-- For operators that select elements by their order: equal elements, and NaNs, which have no place in the order.
local sizes = { 2, 33, 257, 1025 }

local function emit(op, type, rule, fill, size, seed)
  op:emit { label = ("%s-%s-%d-%d"):format(rule, fill, size, seed), tests = rule, fill = fill,
    level = op.levels[#op.levels].name, types = { [op.tensors[1].group] = type }, elements = 4 * size,
    size = { tensor = op.tensors[1].name, from_last = seed % 2, size = size } }
end

-- Long rows with their maximum and minimum at the ends and at the edges of tiles: two rows for each position.
local peaks = { { size = 259, rows = 10 }, { size = 1027, rows = 14 } }

local function emit_peaks(op, type, number)
  local peak, most, directions = peaks[number % 2 + 1], {}, combinations(op.enumerations, 2)
  for _, tensor in ipairs(op.tensors) do
    if tensor.kind == "output" then most[tensor.name] = peak.size - 1 end -- so the operator selects along the long rows
  end
  op:emit { label = "peaks-" .. peak.size, fill = "peaks", level = op.levels[#op.levels].name,
    types = { [op.tensors[1].group] = type }, attributes = directions[number // 2 % #directions + 1], largest = 1,
    elements = peak.size * peak.rows, most = most,
    size = { tensor = op.tensors[1].name, from_last = number % 2, size = peak.size, beside = peak.rows } }
end

return strategy "order" {
  plan = "Rows of equal elements, of few different elements, NaNs beside infinities and zeros, extremes at the " ..
    "edges of tiles; for each data type.",
  cases = function(op)
    if not op.selects then return end
    for number, type in ipairs(op.levels[#op.levels].types[op.tensors[1].group]) do
      emit_peaks(op, type, number)
      for _, size in ipairs(sizes) do
        for seed = 1, 2 do
          for _, fill in ipairs { "zero", "one", "sparse" } do emit(op, type, "ties", fill, size, seed) end
          if type:sub(1, 5) == "FLOAT" then
            emit(op, type, "nan-order", "special", size, seed)
            emit(op, type, "nan-order", "signalling-nans", size, seed)
          end
        end
      end
    end
  end,
}
