-- A script that sorts texts that differ only at their ends.
-- Expected: memory|ran for more than
local t = {}
for i = 1, 60 do t[i] = ("x"):rep(1 << 20) .. i end
while true do table.sort(t) t[1], t[60] = t[60], t[1] end
