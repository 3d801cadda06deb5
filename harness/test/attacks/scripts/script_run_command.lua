-- A script that wants to run a command.
-- Expected: 'os'
return os.execute("true")
