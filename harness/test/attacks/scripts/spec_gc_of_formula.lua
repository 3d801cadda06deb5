-- A spec that puts a finalizer into the metatable of a formula.
-- Expected: attempt to index a nil
(element "A").__index.__gc = function() while true do end end
