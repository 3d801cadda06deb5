local fills = { "special", "denormal", "sparse", "zero", "one", "counting" }

-- The behaviour that a fill is about, where the operator has it: its strength is the case's.
local function about(op, fill)
  for _, rule in ipairs(op.rules) do if fill == "denormal" and rule.id == "denormals" then return rule.id end end
end

return strategy "values" {
  plan = "Element values: signed zeros, infinities, NaNs, denormals and integer extremes, all zero, all one, sparse; for each data type.",
  cases = function(op)
    local level = op.levels[#op.levels]
    local lead = op.tensors[1]
    for _, type in ipairs(level.types[lead.group]) do
      for _, fill in ipairs(fills) do
        for copy = 1, 2 do
          op:emit { label = fill .. "-" .. copy, fill = fill, tests = about(op, fill), level = level.name,
            types = { [lead.group] = type } }
        end
      end
    end
  end,
}
