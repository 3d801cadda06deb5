-- A device finds coordinates by dividing an element's number. Reciprocals and multipliers fail for some divisors only, so
-- each size up to 130 divides in turn, then primes and the neighbours of powers of two, at the last three coordinates.
local larger = { 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239,
  241, 251, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097 }

local function sizes()
  local all = {}
  for size = 1, 130 do all[size] = size end
  for _, size in ipairs(larger) do all[#all + 1] = size end
  return all
end

-- The size in some input, such that the output has it, too, beside others; or else in the first input.
local function divide(op, level, from_last, size)
  local output = op.tensors[#op.tensors].name
  local function try(tensor, shown)
    return op:emit { label = ("%d-%d"):format(from_last, size), level = level, elements = 16 * size + 64,
      least = { [shown or tensor.name] = 2 * size },
      size = { tensor = tensor.name, from_last = from_last, size = size, shown = shown } }
  end
  for _, tensor in ipairs(op.tensors) do
    if tensor.kind == "input" and try(tensor, output) then return end
  end
  try(op.tensors[1])
end

return strategy "divisors" {
  plan = "Each of the last three sizes of outputs from 1 to 130, primes to 251, and numbers next to powers of two.",
  cases = function(op)
    for from_last = 0, 2 do
      for _, size in ipairs(sizes()) do divide(op, op.levels[#op.levels].name, from_last, size) end
    end
  end,
}
