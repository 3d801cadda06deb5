-- A script that inserts at the front of a table, whose entries all move.
-- Expected: ran for more than
local t = {}
for i = 1, 2e6 do t[i] = i end
while true do table.insert(t, 1, 0) table.remove(t) end
