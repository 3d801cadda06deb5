-- Writes specs/catalogue.lua from the documents' tables:
--   lua5.4 tools/cataloguegen.lua TABLES_DIR > specs/catalogue.lua
--   lua5.4 tools/cataloguegen.lua --check specs/catalogue.lua TABLES_DIR
-- --check compares the file with newly generated text and prints the first different line; exit status 1 if there is
-- one. The catalogue is committed; `make check` runs --check where the tables are beside the checkout.
--
-- The operator cards of the documents correct some rows of the tables. Each correction is an entry of
-- catalogue/corrections.lua with its source and its reason. A correction that no longer fits its table is an error, as
-- is any row that catalogue/read.lua cannot read: no row of the tables is dropped silently.

package.path = (string.match(arg[0], "^(.*/)") or "./") .. "?.lua;" .. package.path
local model, correct, write = require "catalogue.read", require "catalogue.correct", require "catalogue.write"

local function lines_of(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

local function check(path, fresh)
  local file = io.open(path) or model.wrong("%s cannot be read", path)
  local text = file:read "a"
  file:close()
  if text == fresh then return end
  local found, made = lines_of(text), lines_of(fresh)
  local at = 1
  while found[at] == made[at] and found[at] do at = at + 1 end
  model.wrong("%s:%d: not as the tables make it\n  file:   %s\n  tables: %s", path, at, found[at] or "(its end)",
    made[at] or "(its end)")
end

local checked = arg[1] == "--check" and arg[2]
local folder = checked and arg[3] or not checked and arg[1]
if not folder or folder:match "^%-" then
  io.stderr:write("usage: cataloguegen.lua [--check FILE] TABLES_DIR\n")
  os.exit(2)
end
local good, message = pcall(function()
  model.read(folder)
  correct()
  local text = write()
  if checked then check(checked, text) else io.write(text) end
end)
if not good then
  io.stderr:write("cataloguegen.lua: ", tostring(message), "\n")
  os.exit(1)
end
