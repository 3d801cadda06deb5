-- Cases that set one size of one input: small sizes, primes, and sizes next to those of work-groups and 16-bit
-- counters.
local small = { 1, 2, 3, 5, 7, 11, 13, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025 }
local large = { 65535, 65536, 65537, 70001 }

local function is_free(op, tensor) return tensor.name == free_tensor(op).name end

-- Adds the sizes for which `wanted(sizes, tensor, from_last)` is true.
local function each(op, wanted)
  local level = op.levels[#op.levels].name
  for _, tensor in ipairs(op.tensors) do
    local sized = tensor.kind == "input" or op.plain and is_free(op, tensor) -- a fill has no input
    for from_last = 0, sized and 1 or -1 do
      for _, sizes in ipairs { small, large } do
        for _, size in ipairs(wanted(sizes, tensor, from_last) and sizes or {}) do
          op:emit { label = ("%s-%d-%d"):format(tensor.name, from_last, size), level = level,
            size = { tensor = tensor.name, from_last = from_last, size = size },
            elements = sizes == large and 300000 or 8192 }
        end
      end
    end
  end
end

-- All tensors of operators with formulas have the same sizes, so one tensor suffices.
local function is_first(op, sizes, tensor, from_last)
  return not op.plain or is_free(op, tensor) and (sizes == small or from_last == 0)
end

return strategy "shapes" {
  plan = "The last two sizes of each input in turn: 1, 2, 3, primes, and values around 32, 64, 128, 256, 1024, 65536.",
  cases = function(op) each(op, function(...) return is_first(op, ...) end) end,
  deep = function(op) each(op, function(...) return not is_first(op, ...) end) end,
}
