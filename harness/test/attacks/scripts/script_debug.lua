-- A script that wants the debug library.
-- Expected: debug
debug.sethook()
