-- A spec that reaches for the metatable of an expression.
-- Expected: attempt to index a nil
local meta = attr("Axis").__index
meta.__gc = function() while true do end end
