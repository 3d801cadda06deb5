-- A tensor may have at most 2^32 - 1 elements. A device must accept such a tensor; these cases are not dispatched.
local max = 0xFFFFFFFF

-- Adds a case if `wanted(level, from_last)` is true; `level` is the number of the level.
local function each(op, wanted)
  for i, level in ipairs(op.levels) do
    for _, tensor in ipairs(op.tensors) do
      for from_last = 0, 3 do
        for less = 0, wanted(i, from_last) and 1 or -1 do
          op:emit { label = ("%s-%d-%d"):format(tensor.name, from_last, max - less), level = level.name,
            size = { tensor = tensor.name, from_last = from_last, size = max - less },
            elements = max, tests = "element-limit" }
        end
      end
    end
  end
end

-- Operators with formulas have one dimension at the highest level by default.
local function is_first(op, level, from_last) return not op.plain or level == #op.levels and from_last == 0 end

return strategy "extents" {
  plan = "Each tensor in turn with the largest number of elements, and with one element less, at every feature level.",
  cases = function(op) each(op, function(level, from_last) return is_first(op, level, from_last) end) end,
  deep = function(op) each(op, function(level, from_last) return not is_first(op, level, from_last) end) end,
}
