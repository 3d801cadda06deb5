-- A script that reads a long text as a number without end.
-- Expected: ran for more than
local s = ("1"):rep(30 << 20)
while true do tonumber(s, 10) end
