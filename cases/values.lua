local fills = { "special", "denormal", "sparse", "zero", "one", "counting" }

-- The behaviour that a fill with floating-point values tests, if the operator has it.
local about = { denormal = "denormals", special = "nan-payloads" }
local function tested(op, type, fill)
  for _, rule in ipairs(op.rules) do
    if type:sub(1, 5) == "FLOAT" and rule.id == about[fill] then return rule.id end
  end
end

-- 65,536 elements: every FLOAT16 pattern, along every dimension that can be that long.
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
    for dims = 1, tensor.group == group and tensor.kind == "input" and 4 or 0 do
      for from_last = 0, dims - 1 do -- "each" is refused where indices must be distinct; they are a permutation then
        if not try(tensor, dims, from_last, "each") then try(tensor, dims, from_last) end
      end
    end
  end
end

return strategy "values" {
  plan = "Zeros, infinities, NaNs, denormals, integer extremes, ones, counting, sparse values; for each data type; every FLOAT16 pattern.",
  cases = function(op)
    local level = op.levels[#op.levels]
    local lead = op.tensors[1]
    for _, type in ipairs(level.types[lead.group]) do
      for _, fill in ipairs(fills) do
        for copy = 1, 2 do
          op:emit { label = fill .. "-" .. copy, fill = fill, tests = tested(op, type, fill), level = level.name,
            types = { [lead.group] = type },
            size = copy == 2 and { tensor = lead.name, from_last = 0, size = 13 } or nil } -- enough for every special value
        end
      end
    end
    patterns(op, level)
  end,
}
