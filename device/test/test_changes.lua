-- Each change that a known mistake makes in the text of specs is about a text that is there.
package.path = "tools/?.lua;" .. package.path
local tap = require "tap"

-- Returns the joined contents of the files that a pattern of the shell names.
local function all(pattern)
  local texts = {}
  local list <close> = assert(io.popen("ls " .. pattern))
  for path in list:lines() do texts[#texts + 1] = tap.read(path) end
  return table.concat(texts, "\n")
end

-- Finds the changes of each bug: they are strings in lines of their own, after the line with the name.
local bugs, sources = {}, all "specs/*.lua harness/load/*.lua"
for line in all("harness/mistakes/bugs_*.h device/mutants/bugs_*.h"):gmatch "[^\n]+" do
  local name, text = line:match '^    FORMULA%([A-Z0-9_]+, "([^"]+)"', line:match '^            "(.*)"'
  if name then bugs[#bugs + 1] = { name = name, changes = "" } end
  if text then bugs[#bugs].changes = bugs[#bugs].changes .. text:gsub("\\n", "\n"):gsub("\\(.)", "%1") end
end

local count = 0
for _, bug in ipairs(bugs) do
  local missing, text = {}, sources
  for from, to in bug.changes:gmatch "([^\n]-) => ([^\n]*)" do
    count = count + 1
    if not text:find(from, 1, true) then missing[#missing + 1] = from end
    text = text .. "\n" .. to -- a later change may be about the text of an earlier one
  end
  if bug.changes ~= "" then tap.clean(missing, bug.name .. " changes what is there") end
end
tap.ok(count > 250, count .. " changes")
tap.done()
