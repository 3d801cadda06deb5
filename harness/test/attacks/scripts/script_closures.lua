-- A script that makes functions without end.
-- Expected: memory|ran for more than
local t
while true do local last = t t = function() return last end end
