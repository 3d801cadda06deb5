-- A spec that joins lists without end.
-- Expected: memory|ran for more than
local e = sizes "InputTensor"
while true do e = concat(e, e) e.text = "" end
