-- A script that jumps.
-- Expected: ran for more than|ran past
::again::
goto again
