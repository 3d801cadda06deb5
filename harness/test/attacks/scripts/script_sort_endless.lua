-- A script that sorts without end.
-- Expected: ran for more than|ran past
local t = {}
for i = 1, 1e5 do t[i] = -i end
while true do table.sort(t, function(a, b) return a > b end) end
