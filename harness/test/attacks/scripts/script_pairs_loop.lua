-- A script that sorts the keys of a large table without end.
-- Expected: ran for more than|ran past
local t = {}
for i = 1, 3e5 do t[-i] = i end
while true do pairs(t) end
