-- 2^32 - 1 elements are the most a tensor may have. Nothing of that size is run: it is to be accepted.
local most = 0xFFFFFFFF

return strategy "extents" {
  plan = "Each tensor in turn with as many elements as there may be, at every feature level, and with one less.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      for _, tensor in ipairs(op.tensors) do
        for from_last = 0, 3 do
          for less = 0, 1 do
            op:emit { label = ("%s-%d-%d"):format(tensor.name, from_last, most - less), level = level.name,
              size = { tensor = tensor.name, from_last = from_last, size = most - less },
              elements = most, tests = "element-limit" }
          end
        end
      end
    end
  end,
}
