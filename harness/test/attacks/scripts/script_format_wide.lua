-- A script that formats a text that is as wide as a format can be, without end.
-- Expected: ran for more than|ran past
while true do string.format("%99.99f", 1e308) end
