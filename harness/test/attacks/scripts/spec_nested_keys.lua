-- A spec that gives tables where texts are expected.
-- Expected: not a documented operator|string
return operator { "GATHER" } {}
