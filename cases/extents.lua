-- A tensor may have at most 2^32 - 1 elements. A device must accept such a tensor; these cases are not dispatched, so
-- their work takes no time.
local max = 0xFFFFFFFF

-- Adds a case. If the usual bound on its work permits none, the case may take any work, and other sizes are 1.
local function add(op, label, level, tensor, from_last, size)
  local function request(work, largest)
    return op:emit { label = label, level = level.name, elements = max, tests = "element-limit", work = work,
      largest = largest, size = { tensor = tensor.name, from_last = from_last, size = size } }
  end
  return request() or request(math.maxinteger, 1)
end

-- Adds a case if `wanted(level, from_last)` is true; `level` is the number of the level. Returns true if it added some.
local function each(op, wanted)
  local some = false
  for i, level in ipairs(op.levels) do
    for _, tensor in ipairs(op.tensors) do
      for from_last = 0, 3 do
        for less = 0, wanted(i, from_last) and 1 or -1 do
          local label = ("%s-%d-%d"):format(tensor.name, from_last, max - less)
          some = add(op, label, level, tensor, from_last, max - less) or some
        end
      end
    end
  end
  return some
end

-- Operators with formulas have one dimension at the highest level by default.
local function is_first(op, level, from_last) return not op.plain or level == #op.levels and from_last == 0 end

-- Adds a case with another dimension: the last size of each tensor may be a part of a product that has the limit, too.
local function any(op)
  for from_last = 1, 3 do
    for _, tensor in ipairs(op.tensors) do
      if add(op, "any-" .. max, op.levels[#op.levels], tensor, from_last, max) then return end
    end
  end
end

return strategy "extents" {
  plan = "Each tensor in turn with the largest number of elements, and with one element less, at every feature level.",
  cases = function(op)
    if not each(op, function(level, from_last) return is_first(op, level, from_last) end) then any(op) end
  end,
  deep = function(op) each(op, function(level, from_last) return not is_first(op, level, from_last) end) end,
}
