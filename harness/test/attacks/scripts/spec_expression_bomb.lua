-- A spec that doubles the text of an expression.
-- Expected: memory|ran for more than
local e = attr "Axis"
for i = 1, 100 do e = e + e end
