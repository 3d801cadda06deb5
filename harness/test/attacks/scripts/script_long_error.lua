-- A script that fails with a huge message.
-- Expected: xxx
error(("x"):rep(50 << 20), 0)
