-- A script that spreads a huge range.
-- Expected: too many results
while true do table.unpack({}, 1, 1e8) end
