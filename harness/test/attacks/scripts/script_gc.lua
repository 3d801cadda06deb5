-- A script that wants to stop the collector.
-- Expected: collectgarbage
collectgarbage "stop"
