-- A script that removes the first entry of a table and puts it back.
-- Expected: ran for more than
local t = {}
for i = 1, 2e6 do t[i] = i end
while true do t[#t + 1] = table.remove(t, 1) end
