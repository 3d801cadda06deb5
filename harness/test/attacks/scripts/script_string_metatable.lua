-- A script that wants the metatable of texts.
-- Expected: getmetatable
getmetatable("").__index = {}
