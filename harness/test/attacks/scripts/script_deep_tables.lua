-- A script that nests tables without end.
-- Expected: memory|ran for more than
local t = {}
while true do t = { t } end
