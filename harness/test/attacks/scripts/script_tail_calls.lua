-- A script that calls itself at its end.
-- Expected: ran for more than|ran past
local function f() return f() end
f()
