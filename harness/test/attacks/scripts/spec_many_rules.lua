-- A spec that has a rule after another without end.
-- Expected: memory|ran for more than
local rules = {}
while true do rules[#rules + 1] = rule("r" .. #rules) { below(attr "Axis", 4) } end
