-- Every value of an input, or every pair of values of two inputs: 2^32 combinations of bits at most, in slices of one
-- case each. A slice is so short that its tensors, with all copies that the judge makes, take less than 512 MiB.
local most, most_of_wide = 1 << 24, 1 << 23
local wide = { FLOAT64 = true, INT64 = true, UINT64 = true }
local bits = { FLOAT16 = 16, INT16 = 16, UINT16 = 16, INT8 = 8, UINT8 = 8, FLOAT32 = 32, INT32 = 32, UINT32 = 32 }

local function label_of(constants)
  local words = {}
  for _, constant in pairs(constants) do words[#words + 1] = constant:lower() end
  return table.concat(words, "-")
end

-- Returns the number of combinations of bits of the inputs; nil if the strategy has no cases of these types. Integers
-- of 16 bits are left out of pairs, since operators compute them as those of 8 bits.
local function combinations_of(op, types)
  local sum, inputs, halves = 0, 0, 0
  for _, tensor in ipairs(op.tensors) do
    if tensor.kind == "input" then
      sum, inputs = sum + (bits[types[tensor.group]] or 64), inputs + 1
      halves = halves + (types[tensor.group] == "FLOAT16" and 1 or 0)
    end
  end
  local too_many = sum > 32 or inputs > 1 and sum > 16 and halves < inputs
  return inputs > 0 and not too_many and 1 << sum or nil
end

local function size_of(types, count)
  local limit = most
  for _, type in pairs(types) do if wide[type] then limit = most_of_wide end end
  return math.min(count, limit)
end

return strategy "exhaustive" {
  tier = "exhaustive",
  plan = "Every value of the input of an element-wise operator; every pair of FLOAT16s, or of 8-bit integers, of two.",
  cases = function(op)
    local level = op.levels[#op.levels]
    for _, types in ipairs(op.elementwise and possible_types(op, level, 1000) or {}) do
      local count = combinations_of(op, types)
      for _, constants in ipairs(count and combinations(op.enumerations, 16) or {}) do
        op:emit { label = label_of(constants), level = level.name, types = types, attributes = constants, fill = "each",
          largest = 1, elements = most,
          size = { tensor = op.tensors[1].name, from_last = 0, size = size_of(types, count) } }
      end
    end
  end,
}
