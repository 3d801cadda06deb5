-- A script that spreads as much as the stack holds, without end.
-- Expected: ran for more than
local t = {}
while true do table.unpack(t, 1, 900000) end
