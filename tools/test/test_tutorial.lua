-- This test follows the tutorial step by step: it writes the files, applies the changes and runs the commands in order,
-- which must print the quoted text.

package.path = "tools/test/?.lua;" .. package.path
local guides = require "guides"
local tap = dofile "tools/tap.lua"
local scratch = assert(os.getenv "TMPDIR", "run me with tools/run-test")
local assay = os.getenv "ASSAY" or "build/assay"

local ok, quoted, run = tap.ok, tap.quoted, tap.run

local root = select(2, run(".", "pwd")):match "[^\n]+"
local program = assay:sub(1, 1) == "/" and assay or root .. "/" .. assay
local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- The reader has assay, and a pkg-config file for it. The guides are those of the source.
run(scratch, "mkdir bin home; ln -s " .. quoted(program) .. " bin/assay")
write(scratch .. "/assay.pc", ([[
guidesdir=%s
Name: assay
Description: of the source
Version: 0
Cflags: -I%s/device
]]):format(root, root))
local around = ("export PATH=%s/bin:$PATH HOME=%s/home PKG_CONFIG_PATH=%s\n"):format(scratch, scratch, scratch)

local folder = scratch
local function text_of(block, first)
  local lines = {}
  for i = first, #block do lines[#lines + 1] = block[i].text .. "\n" end
  return table.concat(lines)
end

-- Writes a file, whose first line is a comment with its name.
local function make_file(where, block)
  local name = block[1].text:match "^%-%- (%S+)$" or block[1].text:match "^# (%S+)$"
  ok(name, where .. ": the file has a name")
  run(folder, "mkdir -p $(dirname " .. name .. ")")
  write(folder .. "/" .. name, text_of(block, 1))
end

local function apply(where, block)
  write(scratch .. "/change", text_of(block, 1))
  local status, said = run(folder, "git apply --unidiff-zero ../change")
  ok(status == 0, where .. ": the change applies", said)
end

-- Returns the status that the quoted end of a command promises.
local function promised(documented)
  local text = table.concat(documented, "\n")
  return (text:find "verdict: failed" or text:find "wrong reject") and 1 or 0
end

local function follow(block)
  local i = 1
  while i <= #block do
    local command = assert(block[i].text:match "^%$ (.*)", block[i].text)
    local where = "specs/TUTORIAL.md:" .. block[i].number
    local documented, printed = {}, {}
    while block[i + 1] and not block[i + 1].text:match "^%$ " do
      i = i + 1
      documented[#documented + 1] = block[i].text
    end
    i = i + 1
    while documented[#documented] == "" do documented[#documented] = nil end
    local status, said = run(folder, around .. command)
    ok(status == promised(documented), ("%s: %s"):format(where, command), ("status %d\n%s"):format(status, said))
    for line in (said .. "\n"):gmatch "(.-)\n" do printed[#printed + 1] = line end
    while printed[#printed] == "" do printed[#printed] = nil end
    ok(guides.matches(documented, printed, true), where .. ": prints what is shown", said)
    local moves = folder == scratch and run(scratch, "test -d mine/specs && ls mine/specs/*") == 0
    if moves then folder = scratch .. "/mine" end
  end
end

local file = assert(io.open "specs/TUTORIAL.md")
local blocks = guides.parse(file:read "a")
file:close()
for _, block in ipairs(blocks) do
  local where = "specs/TUTORIAL.md:" .. block[1].number
  if block.language == "lua" or block.language == "ini" then
    make_file(where, block)
  elseif block.language == "diff" then
    apply(where, block)
  else
    follow(block)
  end
end
ok(tap.count > 30, "there was something to follow")
tap.done()
