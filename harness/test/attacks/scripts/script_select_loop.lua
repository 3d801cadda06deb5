-- A script that selects from a long list without end.
-- Expected: ran for more than|ran past
local t = {}
local function f(...) while true do select(-1, ...) select(2, ...) end end
f(table.unpack(t, 1, 200000))
