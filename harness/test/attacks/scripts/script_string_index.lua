-- A script that writes to the methods of texts.
-- Expected: attempt to index a string value
local s = ""
s.rep = nil
