-- A script that repeats a text.
-- Expected: too large
return ("x"):rep(1 << 40)
