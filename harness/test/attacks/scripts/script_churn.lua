-- A script that fills memory again and again.
-- Expected: memory|ran for more than
while true do local s = ("x"):rep(10 << 20) end
