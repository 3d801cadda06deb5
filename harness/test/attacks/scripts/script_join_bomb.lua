-- A script that doubles a text.
-- Expected: memory|ran for more than
local s = "x"
while true do s = s .. s end
