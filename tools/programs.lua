-- What scripts that compare programs share.
local programs = {}

-- What a command prints to its output; nil: it fails.
function programs.output_of(command)
  local pipe = assert(io.popen(command .. " 2>/dev/null"))
  local text = pipe:read("a")
  return pipe:close() and text or nil
end

-- The first Python for which a statement does not fail: Debian's packages belong to Debian's. nil: there is none.
function programs.find_python(statement)
  for _, python in ipairs({ "python3", "/usr/bin/python3" }) do
    if programs.output_of(("%s -c '%s'"):format(python, statement)) then return python end
  end
end

return programs
