-- Parameters depend on each other: op:emit adds no case for an impossible combination. If the first parameters are
-- impossible, the strategy does not try all values of the others.
local highest = 8

return strategy "splits" {
  plan = "Every combination of the operator's shape parameters (ranks, axes, tuple sizes, batch counts) up to rank 8.",
  cases = function(op)
    local level = op.levels[#op.levels].name
    local function each(i, chosen)
      if i > #op.parameters then
        op:emit { level = level, parameters = chosen }
        return
      end
      for value = 0, highest do
        chosen[op.parameters[i]] = value
        if i == #op.parameters or op:possible { level = level, parameters = chosen } then each(i + 1, chosen) end
      end
      chosen[op.parameters[i]] = nil
    end
    each(1, {})
  end,
}
