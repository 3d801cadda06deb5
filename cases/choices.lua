-- Inputs for one behaviour at a time: elements for which it leaves a choice, and special values without any choice.
local most = 150 -- combinations of types

local function emit(op, types, constants, label, fill, rule, size)
  for _, constant in pairs(constants) do label = label .. "-" .. constant:lower() end
  return op:emit { label = label, fill = fill, tests = rule, attributes = constants,
    level = op.levels[#op.levels].name, types = types, elements = 2 * size,
    size = { tensor = op.tensors[1].name, from_last = 0, size = size } }
end

return strategy "choices" {
  plan = "Elements for which one behaviour leaves a choice, and special values without any choice; for each data type.",
  cases = function(op)
    if not op.formula then return end
    local all = possible_types(op, op.levels[#op.levels], most)
    for _, constants in ipairs(combinations(op.enumerations, 16)) do
      for _, types in ipairs(all) do
        local some = false
        for _, rule in ipairs(op.rules) do
          for n = 1, rule.choice and 2 or 0 do
            local label = ("%s-%d"):format(rule.id, n)
            if not emit(op, types, constants, label, "choice", rule.id, n == 1 and 61 or 7) then break end
          end
          some = some or rule.choice
        end
        if some then emit(op, types, constants, "settled", "settled", nil, 499) end
      end
    end
  end,
}
