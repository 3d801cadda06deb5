-- A script that takes too many bytes of a text.
-- Expected: memory
local s = ("x"):rep(64 << 20)
local function f() return s:byte(1, -1) end
f()
