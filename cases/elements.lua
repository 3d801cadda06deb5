-- For operators with formulas: combinations of operand values.
local most = 150 -- combinations of types

local function inputs(op)
  local count = 0
  for _, tensor in ipairs(op.tensors) do count = count + (tensor.kind == "input" and 1 or 0) end
  return count
end

-- Returns the combinations of the constants of enumerations, such as modes.
local function variants(op) return combinations(op.enumerations, 16) end

-- Adds a case whose first tensor has a last dimension of `size`, or at least `size` elements if the dimension cannot be
-- that long, as with windows.
local function emit(op, types, constants, label, fill, size)
  for _, constant in pairs(constants) do label = label .. "-" .. constant:lower() end
  local function try(request)
    request.label, request.fill, request.level, request.types = label, fill, op.levels[#op.levels].name, types
    request.attributes = constants
    return op:emit(request)
  end
  return try { elements = 2 * size, size = { tensor = op.tensors[1].name, from_last = 0, size = size } }
    or try { least = { [op.tensors[1].name] = size } }
    or try { elements = 4 * size, size = { tensor = op.tensors[1].name, from_last = 0, size = size } } -- rows of gates
    or try { elements = 2 * size, least = { [op.tensors[1].name] = size }, -- weights along each dimension
      size = { tensor = op.tensors[1].name, from_last = 0, size = 256, beside = 256 }, work = 16 * size }
end

local narrow = { FLOAT16 = 2, INT16 = 2, UINT16 = 2, INT8 = 1, UINT8 = 1 }

-- Adds a case with 65,536 elements: all values of a 16-bit type, all pairs of an 8-bit type.
local function patterns(op, types, constants)
  local widest, first = 0, types[op.tensors[1].group]
  for _, tensor in ipairs(op.tensors) do
    if tensor.kind == "input" then widest = math.max(widest, narrow[types[tensor.group]] or 8) end
  end
  if widest > 2 and not narrow[first] then return end
  local bytes = 0
  for _, tensor in ipairs(op.tensors) do
    bytes = bytes + (tensor.kind == "input" and (narrow[types[tensor.group]] or 8) or 0)
  end
  emit(op, types, constants, "patterns", "patterns", bytes == 1 and 256 or 65536)
end

local function has_float(types)
  for _, type in pairs(types) do if type:sub(1, 5) == "FLOAT" then return true end end
end

return strategy "elements" {
  plan = "Zeros, ones, exact data, combinations of special values, all 16-bit patterns, ordinary values; each type.",
  cases = function(op)
    local count = inputs(op)
    if not op.formula or count == 0 then return end
    local all = possible_types(op, op.levels[#op.levels], most)
    for _, constants in ipairs(variants(op)) do
      for _, types in ipairs(all) do
        emit(op, types, constants, "pairs", "pairs", count == 1 and 128 or 8192)
        emit(op, types, constants, "dyadic", "dyadic", 509)
        for n = 1, #all <= 16 and 6 or 1 do
          emit(op, types, constants, "ordinary-" .. n, "ordinary", n == 1 and 2039 or 251)
        end
        if #all <= 16 then
          for _, fill in ipairs { "zero", "one", "counting" } do emit(op, types, constants, fill, fill, 67) end
          if op.sparse then emit(op, types, constants, "sparse", "sparse", 67) end
          if has_float(types) then
            emit(op, types, constants, "denormal", "denormal", 127)
            emit(op, types, constants, "denormals", "denormals", 127)
            emit(op, types, constants, "signalling-nans", "signalling-nans", 67)
          end
        end
        if #all <= 16 or types[op.tensors[1].group] == "FLOAT16" then patterns(op, types, constants) end
      end
    end
  end,
}
