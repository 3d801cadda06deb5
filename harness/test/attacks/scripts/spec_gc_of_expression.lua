-- A spec that puts a finalizer into the metatable of an expression.
-- Expected: attempt to index a nil
attr("Axis").__index.__gc = function() local t = {} while true do t[#t + 1] = ("x"):rep(1 << 20) end end
for i = 1, 1e5 do local e = attr "Axis" + i end
