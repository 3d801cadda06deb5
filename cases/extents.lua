-- A tensor may have at most 2^32 - 1 elements. A device must accept such a tensor, but these cases do not run.
local max = 0xFFFFFFFF

return strategy "extents" {
  plan = "Each tensor in turn with the largest number of elements, and with one less, at every feature level.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      for _, tensor in ipairs(op.tensors) do
        for from_last = 0, 3 do
          for less = 0, 1 do
            op:emit { label = ("%s-%d-%d"):format(tensor.name, from_last, max - less), level = level.name,
              size = { tensor = tensor.name, from_last = from_last, size = max - less },
              elements = max, tests = "element-limit" }
          end
        end
      end
    end
  end,
}
