-- A script that takes all bytes of a text.
-- Expected: ran for more than
local s = ("x"):rep(900000)
while true do s:byte(1, -1) end
