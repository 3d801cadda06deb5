-- A script that calls itself.
-- Expected: stack overflow
local function f() return 1 + f() end
f()
