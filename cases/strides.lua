-- Adds cases if `wanted(level, dims)` is true; `level` is the number of the level.
local function each(op, wanted)
  local choices = { all = {} }
  for _, tensor in ipairs(op.tensors) do choices[tensor.name] = { tensor } end
  choices.all = op.tensors
  for i, level in ipairs(op.levels) do
    for who, tensors in pairs(choices) do
      for _, class in ipairs { "packed", "padded", "permuted", "broadcast" } do
        local strides = {}
        for _, tensor in ipairs(tensors) do
          if class ~= "broadcast" or tensor.kind == "input" then strides[tensor.name] = class end
        end
        for dims = 1, 8 do
          if wanted(i, dims) and (class ~= "broadcast" or who == "all" or tensors[1].kind == "input") then
            op:emit { label = class .. "-" .. who, level = level.name, strides = strides, parameters = { d = dims } }
          end
        end
      end
    end
  end
end

-- Operators with formulas have some ranks at the highest level by default.
local few = { [2] = true, [4] = true, [5] = true, [8] = true }
local function is_first(op, level, dims) return not op.plain or level == #op.levels and few[dims] end

return strategy "strides" {
  plan = "Each tensor in turn, and all together, packed, padded, permuted and broadcast, at every rank and feature level.",
  cases = function(op)
    each(op, function(level, dims) return is_first(op, level, dims) end)
    for _, tensor in ipairs(op.tensors) do -- tuples that repeat one coordinate
      for dims = 1, tensor.index and 8 or 0 do
        op:emit { label = "tuples-" .. tensor.name, level = op.levels[#op.levels].name, shared_tuples = true,
          strides = { [tensor.name] = "broadcast" }, parameters = { d = dims } }
      end
    end
  end,
  deep = function(op) each(op, function(level, dims) return not is_first(op, level, dims) end) end,
}
