-- Prints the lines of C files that are wider than 120 columns: lua tools/columns.lua FILE… Exit status 1 if there are any.
-- clang-format breaks code, but leaves comments alone; what it is told to leave alone may be wider.
local most, wide = 120, false
for _, path in ipairs(arg) do
  local number, off = 0, false
  for line in io.lines(path) do
    number = number + 1
    if line:find("clang%-format off") then off = true elseif line:find("clang%-format on") then off = false end
    local columns = utf8.len(line) or #line
    if columns > most and not off then
      print(("%s:%d: %d columns, at most %d"):format(path, number, columns, most))
      wide = true
    end
  end
end
os.exit(not wide)
