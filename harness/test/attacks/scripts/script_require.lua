-- A script that wants a library.
-- Expected: require
return require "posix"
