-- A spec that has a name that controls the terminal.
-- Expected: \x1b
return operator "\27[2JGATHER" { fields = {}, levels = {}, rules = {}, parameters = {} }
