-- A script that formats a long text without end.
-- Expected: ran for more than|ran past
local s = ("%s"):rep(1000)
while true do string.format(s:rep(100), table.unpack({}, 1, 100000)) end
