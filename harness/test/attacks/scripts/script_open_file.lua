-- A script that wants to read a file.
-- Expected: 'io'
return io.open("/etc/passwd")
