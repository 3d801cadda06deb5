-- A script that changes the case of a long text without end.
-- Expected: memory|ran for more than
local s = ("x"):rep(32 << 20)
while true do s:upper() end
