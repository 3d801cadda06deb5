-- The cached state of one operator must not affect the next operator, which may differ in a single member.
return strategy "repeats" {
  plan = "Operators with sizes of 1 and 2 that differ only in attributes, in strides, or in the sizes of one tensor.",
  cases = function(op)
    local level = op.levels[#op.levels]
    local types = {}
    for group, choice in pairs(level.types) do types[group] = choice[1] end
    local function each(i, parameters, strides, class)
      if i > #op.parameters then
        for copy = 1, 3 do
          op:emit { label = class .. "-" .. copy, level = level.name, types = types, largest = 2, strides = strides,
            parameters = parameters, indices = "positive" }
        end
        return
      end
      for value = 0, 3 do
        parameters[op.parameters[i]] = value
        each(i + 1, parameters, strides, class)
      end
      parameters[op.parameters[i]] = nil
    end
    for _, class in ipairs { "packed", "permuted", "padded" } do
      local strides = {}
      for _, tensor in ipairs(op.tensors) do strides[tensor.name] = class end
      each(1, {}, strides, class)
    end
  end,
}
