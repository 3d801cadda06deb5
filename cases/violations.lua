return strategy "violations" {
  plan = "Each rule broken alone, in every way that isolates it, beside the nearest legal description.",
  cases = function(op)
    for _, level in ipairs(op.levels) do
      for _, rule in ipairs(op.rules) do
        if not rule.behaviour then
          for _, move in ipairs(op:moves(level.name, rule.id)) do
            op:violate { label = rule.id .. "." .. move, level = level.name, violate = rule.id, move = move }
          end
        end
      end
    end
  end,
}
