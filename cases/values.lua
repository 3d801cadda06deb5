return strategy "values" {
  plan = "Element values: signed zeros, infinities, NaNs and integer extremes, all zero, all one, sparse; for each data type.",
  cases = function(op)
    local level = op.levels[#op.levels]
    local lead = op.tensors[1]
    for _, type in ipairs(level.types[lead.group]) do
      for _, fill in ipairs { "special", "sparse", "zero", "one", "counting" } do
        for copy = 1, 2 do
          op:emit { label = fill .. "-" .. copy, fill = fill, level = level.name, types = { [lead.group] = type } }
        end
      end
    end
  end,
}
