-- A script that takes too many bytes of a text.
-- Expected: memory
local s = ("x"):rep(64 << 10):rep(1 << 10)
local function f() return s:byte(1, -1) end
f()
