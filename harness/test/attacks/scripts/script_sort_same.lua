-- A script that sorts by an order that is none.
-- Expected: expected the file to return strategy
local t = {}
for i = 1, 2000 do t[i] = i end
table.sort(t, function() return true end)
return t
