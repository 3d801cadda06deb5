-- A script that compares long equal texts without end.
-- Expected: ran for more than
local a, b = ("x"):rep(30 << 20), ("x"):rep(30 << 20)
local n = 0
while true do if a <= b then n = n + 1 end end
