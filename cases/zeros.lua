-- For operators that search non-zero elements: positions of these elements at the ends, and next to the edges of the
-- chunks of a scan.
local fills = { "zero", "one", "nonzero-first", "nonzero-middle", "nonzero-last", "nonzero-alternating", "nonzero-edges-32",
  "nonzero-edges-64", "nonzero-edges-256", "nonzero-edges-1024" }
local sizes = { 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 2049, 4097, 65537 }
local few = { [33] = true, [257] = true, [1025] = true }

return strategy "zeros" {
  plan = "Non-zero elements: none, one, all, every other, at edges of chunks; every count of leading 1s and row width.",
  cases = function(op)
    if not op.sparse or op.formula then return end -- element-wise operators: elements.lua has zeros
    local level, lead = op.levels[#op.levels], op.tensors[1]
    for i, type in ipairs(level.types[lead.group]) do
      for _, size in ipairs(sizes) do
        for _, fill in ipairs(fills) do
          for dims = 1, 3, 2 do
            if i == 1 or few[size] and dims == 1 then
              op:emit { label = fill .. "-" .. size, fill = fill, level = level.name, types = { [lead.group] = type },
                parameters = { d = dims }, elements = dims == 1 and size or 4 * size,
                size = { tensor = lead.name, from_last = 0, size = size } }
            end
          end
        end
      end
    end
    for dims = 1, 8 do
      for ones = 0, dims do
        for _, parameter in ipairs(op.parameters) do
          for value = 0, parameter ~= "d" and dims or -1 do
            op:emit { label = "leading-ones-" .. ones, level = level.name, leading = { tensor = lead.name, ones = ones },
              parameters = { d = dims, [parameter] = value } }
          end
        end
      end
    end
  end,
}
