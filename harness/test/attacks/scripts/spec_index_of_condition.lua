-- A spec that reaches for the metatable of a condition.
-- Expected: attempt to index a nil
below(attr "Axis", 4).__index.__eq = 1
