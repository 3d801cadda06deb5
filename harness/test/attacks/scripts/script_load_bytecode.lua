-- A script that wants to load byte code.
-- Expected: global 'load'
return load("\27Lua")()
