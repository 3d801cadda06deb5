-- A script that joins a huge table.
-- Expected: ran for more than|ran past
local t = {}
for i = 1, 1e6 do t[i] = "" end
while true do table.concat(t) end
