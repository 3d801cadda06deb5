-- A script that loops.
-- Expected: ran for more than|ran past
while true do end
