-- Prints the lines that are wider than 120 columns: lua tools/columns.lua FILE… Exit status 1 if there are any.
-- clang-format breaks code, but not comments. Lines between "clang-format off" and "on" may be wider, and so may lines
-- that Markdown cannot break: rows of tables, examples, lines that end with a mark.
local most, wide = 120, false

local function unbroken(line, fenced)
  return fenced or line:find "^|" or line:find "^    " or line:find "%-%->$" or not line:sub(1, most):find "%S%s+%S"
end

for _, path in ipairs(arg) do
  local markdown, number, off, fenced = path:find "%.md$", 0, false, false
  for line in io.lines(path) do
    number = number + 1
    if line:find("clang%-format off") then off = true elseif line:find("clang%-format on") then off = false end
    if markdown and line:find "^```" then fenced = not fenced end
    local columns = utf8.len(line) or #line
    if columns > most and not off and not (markdown and unbroken(line, fenced)) then
      print(("%s:%d: %d columns, at most %d"):format(path, number, columns, most))
      wide = true
    end
  end
end
os.exit(not wide)
