-- A device divides the index of an element to compute its coordinates. Reciprocals and multipliers fail for some
-- divisors only. So each size up to 130, then primes and the neighbours of powers of two, is the last size of a case
-- and the second to last of another one.
local larger = { 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239,
  241, 251, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097 }

local function sizes()
  local all = {}
  for size = 1, 130 do all[size] = size end
  for _, size in ipairs(larger) do all[#all + 1] = size end
  return all
end

-- Adds a case whose output ends with the sizes `beside` and `size`: an input gets these sizes, or else the free tensor.
local function divide(op, level, size, beside)
  local output = op.tensors[#op.tensors].name
  local function try(tensor, shown, left)
    return op:emit { label = ("%d-%d"):format(beside, size), level = level, elements = 2 * size * beside + 64,
      least = { [shown or tensor.name] = 2 * size },
      size = { tensor = tensor.name, from_last = 0, size = size, beside = left, shown = shown } }
  end
  for _, left in ipairs { beside, false } do -- false: the case sets only the last size
    for _, tensor in ipairs(op.tensors) do
      if tensor.kind == "input" and try(tensor, output, left or nil) then return end
    end
  end
  if try(free_tensor(op), nil, beside) or try(free_tensor(op)) then return end
  for _, tensor in ipairs(op.tensors) do -- the free tensor does not allow this size
    if try(tensor) then return end
  end
end

-- Operators with formulas compute coordinates alike, so some sizes suffice by default.
local few = { [1] = true, [3] = true, [5] = true, [6] = true, [7] = true, [9] = true, [11] = true, [13] = true, [17] = true,
  [31] = true, [33] = true, [49] = true, [63] = true, [65] = true, [97] = true, [100] = true, [127] = true, [129] = true,
  [131] = true, [255] = true, [257] = true, [1023] = true, [1025] = true, [4097] = true }

-- Adds a case for each size for which `wanted(size)` is true.
local function each(op, wanted)
  local all = sizes()
  for i, size in ipairs(all) do -- a small size beside a large one
    local last = op.levels[#op.levels].name
    if wanted(size) then divide(op, last, size, i <= 130 and all[131 - i] or i - 130) end
    if i > 130 and wanted(size) then divide(op, last, i - 130, size) end
  end
end

return strategy "divisors" {
  plan = "Last two sizes of outputs from 1 to 130, primes to 251, neighbours of powers of two; with formulas, some.",
  cases = function(op) each(op, function(size) return not op.plain or few[size] end) end,
  deep = function(op) each(op, function(size) return op.plain and not few[size] end) end,
}
