-- One behaviour at a time: elements for which it leaves a choice, and special values for which none does.
local most = 150 -- combinations of types

local function emit(op, types, label, fill, rule, size)
  return op:emit { label = label, fill = fill, tests = rule, level = op.levels[#op.levels].name, types = types,
    elements = 2 * size, size = { tensor = op.tensors[1].name, from_last = 0, size = size } }
end

return strategy "choices" {
  plan = "Elements for which one behaviour leaves a choice, and special values for which none does; for each data type.",
  cases = function(op)
    local some = false
    for _, types in ipairs(op.formula and combinations(op.levels[#op.levels].types, most) or {}) do
      for _, rule in ipairs(op.rules) do
        for n = 1, rule.choice and 2 or 0 do
          if not emit(op, types, ("%s-%d"):format(rule.id, n), "choice", rule.id, n == 1 and 61 or 7) then break end
        end
        some = some or rule.choice
      end
      if some then emit(op, types, "settled", "settled", nil, 499) end
    end
  end,
}
