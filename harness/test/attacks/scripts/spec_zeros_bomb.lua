-- A spec that asks for a huge list.
-- Expected: memory|ran for more than
zeros(1e12)
