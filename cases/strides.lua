return strategy "strides" {
  plan = "Each tensor in turn, and all together, packed, padded, permuted and broadcast, at every rank and feature level.",
  cases = function(op)
    local choices = { all = {} }
    for _, tensor in ipairs(op.tensors) do choices[tensor.name] = { tensor } end
    choices.all = op.tensors
    for _, level in ipairs(op.levels) do
      for who, tensors in pairs(choices) do
        for _, class in ipairs { "packed", "padded", "permuted", "broadcast" } do
          local strides = {}
          for _, tensor in ipairs(tensors) do
            if class ~= "broadcast" or tensor.kind == "input" then strides[tensor.name] = class end
          end
          for dims = 1, 8 do
            if class ~= "broadcast" or who == "all" or tensors[1].kind == "input" then
              op:emit { label = class .. "-" .. who, level = level.name, strides = strides, parameters = { d = dims } }
            end
          end
        end
      end
    end
    for _, tensor in ipairs(op.tensors) do -- tuples of one coordinate, repeated
      for dims = 1, tensor.index and 8 or 0 do
        op:emit { label = "tuples-" .. tensor.name, level = op.levels[#op.levels].name, shared_tuples = true,
          strides = { [tensor.name] = "broadcast" }, parameters = { d = dims } }
      end
    end
  end,
}
