-- A script that fills memory with a table.
-- Expected: memory|ran for more than
local t = {}
for i = 1, 1e9 do t[i] = i end
