-- Functions for the scripts that compare programs.
local programs = {}

-- Returns the output of a command; nil if it fails.
function programs.output_of(command)
  local pipe = assert(io.popen(command .. " 2>/dev/null"))
  local text = pipe:read("a")
  return pipe:close() and text or nil
end

-- Returns the first Python that executes a statement, or nil. (Debian's packages work only with Debian's Python.)
function programs.find_python(statement)
  for _, python in ipairs({ "python3", "/usr/bin/python3" }) do
    if programs.output_of(("%s -c '%s'"):format(python, statement)) then return python end
  end
end

return programs
