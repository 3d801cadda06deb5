-- Tensors too large for every run. Byte offsets pass 2^27, 2^30, 2^31 and 2^32; element offsets pass 2^28 and 2^29. A machine
-- without enough memory skips a case. `once`: one case per tensor.
local sizes = {
  { label = "past-128-mib", type = "FLOAT32", size = 42000001 },
  { label = "past-128-mib-of-bytes", type = "UINT8", size = 170000003 },
  { label = "past-1-gib", type = "FLOAT64", size = 140000003, once = true },
  { label = "past-2-gib", type = "FLOAT64", size = 270000001, once = true },
  { label = "past-4-gib", type = "FLOAT64", size = 540000001, once = true },
}

local function has(level, group, wanted)
  for _, type in ipairs(level.types[group]) do if type == wanted then return true end end
end

return strategy "large" {
  tier = "large",
  plan = "Inputs past 128 MiB, 1 GiB, 2 GiB and 4 GiB, with indices anywhere and at the far end.",
  cases = function(op)
    local level = op.levels[#op.levels]
    for _, tensor in ipairs(op.tensors) do
      for _, large in ipairs(tensor.kind == "input" and not tensor.index and sizes or {}) do
        local function emit(from_last, indices)
          return op:emit { label = ("%s-%s-%d-%s"):format(large.label, tensor.name, from_last, indices), level = level.name,
            indices = indices, types = { [tensor.group] = large.type }, largest = 2, elements = large.size + large.size // 8,
            size = { tensor = tensor.name, from_last = from_last, size = large.size } }
        end
        for from_last = 0, has(level, tensor.group, large.type) and (large.once and 0 or 1) or -1 do
          if not (emit(from_last, "last") and large.once) then emit(from_last, "any") end
        end
      end
    end
  end,
}
