-- A script that fails with a message that controls the terminal.
-- Expected: \x1b]0;owned
error("\27]0;owned\7\27[2J", 0)
