local fills = { "special", "denormal", "sparse", "zero", "one", "counting" }

-- Returns the behaviour that a fill with floating-point values tests, if the operator has it, and the contents that
-- test it. These consist of such values alone, since an output may depend on a single element of the input.
local about = { denormal = "denormals", special = "nan-payloads" }
local only = { denormal = "denormals", special = "signalling-nans" }
local function tested(op, type, fill)
  for _, rule in ipairs(op.rules) do
    if type:sub(1, 5) == "FLOAT" and rule.id == about[fill] then return rule.id, only[fill] end
  end
end

-- Adds a case with the lowest rank and 13 elements in the last dimension: windows on an input with many small
-- dimensions may contain padding only.
local function first(op, lead, request)
  for dims = 1, lead and 8 or 0 do
    request.parameters, request.size = { d = dims }, { tensor = lead.name, from_last = 0, size = 13 }
    if op:emit(request) then return end
  end
  request.parameters, request.size = nil, nil
  op:emit(request)
end

-- Adds cases with 65,536 elements, every FLOAT16 pattern, along every dimension that can be that long.
local function patterns(op, level)
  local group, types, has = op.tensors[1].group, {}, false
  for _, type in ipairs(level.types[group]) do has = has or type == "FLOAT16" end
  types[group] = "FLOAT16"
  local function try(tensor, dims, from_last, indices)
    return op:emit { label = ("patterns-%s-%d"):format(tensor.name, from_last), fill = "patterns", level = level.name,
      types = types, indices = indices, parameters = { d = dims }, largest = 1, elements = 65536,
      size = { tensor = tensor.name, from_last = from_last, size = 65536 } }
  end
  for _, tensor in ipairs(has and op.tensors or {}) do
    for dims = 1, tensor.group == group and (tensor.kind == "input" or op.plain) and 4 or 0 do
      for from_last = 0, dims - 1 do -- without "each", where indices must be distinct, they are a permutation
        if not try(tensor, dims, from_last, "each") then try(tensor, dims, from_last) end
      end
    end
  end
end

return strategy "values" {
  plan = "Zeros, infinities, NaNs, denormals, integer extremes, ones, counting, sparse; each type; all FLOAT16 patterns.",
  cases = function(op)
    if op.formula then return end -- elements.lua has their cases
    local level = op.levels[#op.levels]
    local lead = op.tensors[1]
    for i = #op.tensors, 1, -1 do lead = op.tensors[i].index and lead or op.tensors[i] end -- the first data tensor
    for _, type in ipairs(level.types[lead.group]) do
      for _, fill in ipairs(fills) do
        local tests, alone = tested(op, type, fill)
        first(op, tests and op.plain and lead, { label = fill .. "-1", fill = alone or fill, tests = tests, level = level.name,
          types = { [lead.group] = type } })
        -- A copy may contain no special value; a deviation then belongs to the operator as a whole.
        local function another(n, size, least)
          return op:emit { label = fill .. "-" .. n, fill = fill, tests = op.sparse and tests or nil, level = level.name,
            types = { [lead.group] = type }, size = size, least = least }
        end
        -- 13 elements hold every special value; tensors that cannot have 13 hold some values each.
        if not another(2, { tensor = lead.name, from_last = 0, size = 13 }) and not another(2, nil, { [lead.name] = 13 }) then
          for n = 2, fill == "special" and 9 or 2 do another(n) end
        end
      end
    end
    patterns(op, level)
  end,
}
