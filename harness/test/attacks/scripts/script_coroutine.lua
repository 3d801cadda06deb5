-- A script that wants a coroutine, which has no limit of its own.
-- Expected: coroutine
return coroutine.wrap(function() while true do end end)()
