-- Inputs for one behaviour at a time: elements for which it leaves a choice, and special values without any choice.
local most = 150 -- combinations of types

-- Adds a case whose first tensor has rows of `size` elements, and whose other tensors have at most `times` as many.
local function emit(op, types, constants, label, fill, rule, size, times)
  for _, constant in pairs(constants) do label = label .. "-" .. constant:lower() end
  return op:emit { label = label, fill = fill, tests = rule, attributes = constants,
    level = op.levels[#op.levels].name, types = types, elements = times * size,
    size = { tensor = op.tensors[1].name, from_last = 0, size = size } }
end

-- Adds the cases of all behaviours. Returns false if a behaviour leaves a choice, but none has a case.
local function each_behaviour(op, types, constants, times)
  local wanted, some = false, false
  for _, rule in ipairs(op.rules) do
    for n = 1, rule.choice and 2 or 0 do
      local label = ("%s-%d"):format(rule.id, n)
      if not emit(op, types, constants, label, "choice", rule.id, n == 1 and 61 or 7, times) then break end
      some = true
    end
    wanted = wanted or rule.choice
  end
  if wanted then some = emit(op, types, constants, "settled", "settled", nil, 499, times) or some end
  return some or not wanted
end

return strategy "choices" {
  plan = "Elements for which one behaviour leaves a choice, and special values without any choice; for each data type.",
  cases = function(op)
    if not op.formula then return end
    local all = possible_types(op, op.levels[#op.levels], most)
    for _, constants in ipairs(combinations(op.enumerations, 16)) do
      for _, types in ipairs(all) do
        -- A network has weights for each pair of elements of its input and its state, so they need more elements.
        local _ = each_behaviour(op, types, constants, 2) or each_behaviour(op, types, constants, 16)
      end
    end
  end,
}
