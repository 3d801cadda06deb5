-- Functions for tests in Lua: TAP output, and running commands.

local tap = { count = 0, failed = 0 }

-- Prints a test point, and each text of `…` if it fails. Returns true if it passes.
function tap.ok(good, name, ...)
  tap.count = tap.count + 1
  if not good then tap.failed = tap.failed + 1 end
  print(("%sok %d - %s"):format(good and "" or "not ", tap.count, (name:gsub("[#\n]", " "))))
  for _, said in ipairs { ... } do
    if not good then print("# " .. tostring(said):sub(1, 3000):gsub("\n", "\n# ")) end
  end
  return good
end

function tap.is(got, expected, name)
  return tap.ok(got == expected, name, ("got:      %s\nexpected: %s"):format(got, expected))
end

-- Prints a test point, which passes if the list `wrong` is empty; each entry describes an error.
function tap.clean(wrong, name) return tap.ok(#wrong == 0, name, table.unpack(wrong, 1, math.min(#wrong, 20))) end

function tap.quoted(text) return "'" .. text:gsub("'", "'\\''") .. "'" end

-- Runs a command of bash in a folder; returns its status and its output.
function tap.run(folder, command)
  local inner = ("cd %s && { %s\n}"):format(tap.quoted(folder), command)
  local pipe = assert(io.popen(("bash -c %s </dev/null 2>&1; printf '\\n%%d' $?"):format(tap.quoted(inner))))
  local text = pipe:read "a"
  pipe:close()
  local said, status = text:match "^(.*)\n(%d+)$"
  return tonumber(status), said or text
end

-- Returns the text of a file; nil if it cannot be read.
function tap.read(path)
  local file = io.open(path)
  local text = file and file:read "a"
  if file then file:close() end
  return text
end

function tap.done()
  print("1.." .. tap.count)
  os.exit(tap.failed == 0 and tap.count > 0)
end

return tap
