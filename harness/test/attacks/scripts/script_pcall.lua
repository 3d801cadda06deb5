-- A script that wants to catch the error that ends it.
-- Expected: pcall
while true do pcall(function() while true do end end) end
