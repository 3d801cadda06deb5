-- A script that reverses a long text without end.
-- Expected: memory|ran for more than
local s = ("x"):rep(32 << 20)
while true do s:reverse() end
