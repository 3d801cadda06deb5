-- A script that takes the length of a table with holes.
-- Expected: ran for more than|ran past
local t = {}
for i = 1, 1e6 do t[i * 2] = 1 end
while true do local n = #t end
