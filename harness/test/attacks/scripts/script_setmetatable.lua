-- A script that wants to run code when memory is freed.
-- Expected: setmetatable
setmetatable({}, { __gc = function() while true do end end })
