-- A script that formats a field that is too wide.
-- Expected: invalid conversion
return string.format("%999999999d", 1)
