-- For operators that compute each output element from a slice of the input, such as a row that is divided by its sum:
-- slices of one element, of sizes next to those of work-groups, and longer than any work-group. The elements are
-- ordinary; all equal, so the variance is 0; 200 and slightly above, so that powers overflow and squares cancel; one
-- far above the others, which the result must contain; with one NaN or infinity; or zeros of both signs.
local sizes = { 1, 2, 31, 32, 33, 1000, 65537 }
local fills = { "ordinary", "constant", "offset", "spikes", "not-finite", "zero" }

-- Returns true if the type of the first tensor has the elements of the fill.
local function holds(op, fill, types)
  local type = types[op.tensors[1].group]
  local float = type:sub(1, 5) == "FLOAT"
  return float or (fill ~= "not-finite" and not (fill == "offset" and type:sub(-4) == "INT8"))
end

local function emit(op, fill, types, constants, size, copy)
  local many = size > 1000 and 1 or 3 -- number of slices
  op:emit { label = ("%s-%d-%d"):format(fill, size, copy), fill = fill, level = op.levels[#op.levels].name,
    types = types, attributes = constants, slice = size, largest = 3, elements = many * size + 64 }
end

-- Rows that divide unevenly among work-items, and enough rows to select kernels for large tensors. Rows with gaps begin
-- at offsets that do not allow reads of four elements at once.
local uneven = { { size = 513 }, { size = 1025 }, { size = 2049 }, { size = 5000 }, { size = 1152, strides = "padded" } }

local function emit_uneven(op, types, constants, row)
  local size, rows = row.size, 66000 // row.size + 1
  op:emit { label = ("uneven-%d"):format(size), fill = "ordinary", level = op.levels[#op.levels].name, types = types,
    attributes = constants, slice = size, largest = 1, elements = size * rows,
    strides = { [op.tensors[1].name] = row.strides },
    size = { tensor = op.tensors[1].name, from_last = 0, size = size, beside = rows } }
end

-- Two rows for each edge of a tile; the spike of each row is at another edge.
local edges = { { size = 259, rows = 10 }, { size = 1027, rows = 14 } }

local function emit_edges(op, types, constants, edge, from_last)
  op:emit { label = ("edges-%d-%d"):format(edge.size, from_last), fill = "spikes", level = op.levels[#op.levels].name,
    types = types, attributes = constants, slice = edge.size, largest = 1, elements = edge.size * edge.rows,
    size = { tensor = op.tensors[1].name, from_last = from_last, size = edge.size, beside = edge.rows } }
end

return strategy "slices" {
  plan = "Slices of 1, 2, 31 to 33, 1000 and 65,537 elements: ordinary, constant, zeros, far from 0, with one peak, also " ..
    "at the edges of tiles, or with one NaN or infinity; many slices of 513 to 5000, also with gaps; for each data type.",
  cases = function(op)
    if not op.slices then return end
    local all = combinations(op.enumerations, 16)
    for _, types in ipairs(possible_types(op, op.levels[#op.levels], 150)) do
      for i, size in ipairs(sizes) do
        for f, fill in ipairs(fills) do
          local copies = size > 1 and size <= 1000 and 2 or 1 -- with other shapes
          for copy = 1, holds(op, fill, types) and copies or 0 do
            emit(op, fill, types, all[(i + f + copy) % #all + 1], size, copy)
          end
        end
      end
      for i, edge in ipairs(edges) do
        for from_last = 0, 1 do emit_edges(op, types, all[(i + from_last) % #all + 1], edge, from_last) end
      end
      for i, row in ipairs(uneven) do emit_uneven(op, types, all[i % #all + 1], row) end
    end
  end,
}
