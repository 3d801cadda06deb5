-- A script that fails with a huge message.
-- Expected: xxx
error(("x"):rep(2 << 20), 0)
