local fills = { "special", "denormal", "sparse", "zero", "one", "counting" }

-- The behaviour that floating-point values are about, where the operator has it.
local about = { denormal = "denormals", special = "nan-payloads" }
local function tested(op, type, fill)
  for _, rule in ipairs(op.rules) do
    if type:sub(1, 5) == "FLOAT" and rule.id == about[fill] then return rule.id end
  end
end

return strategy "values" {
  plan = "Element values: signed zeros, infinities, NaNs, denormals and integer extremes, all zero, all one, sparse; for each data type.",
  cases = function(op)
    local level = op.levels[#op.levels]
    local lead = op.tensors[1]
    for _, type in ipairs(level.types[lead.group]) do
      for _, fill in ipairs(fills) do
        for copy = 1, 2 do
          op:emit { label = fill .. "-" .. copy, fill = fill, tests = tested(op, type, fill), level = level.name,
            types = { [lead.group] = type } }
        end
      end
    end
  end,
}
