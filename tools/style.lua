-- Checks the style that clang-format, luacheck and shellcheck leave alone: lua tools/style.lua FILE…
--   A line of C, Markdown, Makefile or .ci/run has at most 120 columns. Lines between "clang-format off" and "on" may be
--   wider, and so may lines of Markdown that cannot be broken: rows of tables, examples, lines that end with a mark.
--   A comment names its subject first: it does not begin with a word of `misleading`.
--   A function of C has a name of its own, and so has a module, within each folder of the top level: grep finds one.
--   `a ? b : c` stands in no operand of another one.
-- Prints a line for each violation; the exit status is 1 if there are any.
local MOST = 120
local misleading = { Of = true, What = true, Whether = true, How = true }
-- Programs and libraries have these functions by agreement, one each; so they do the module "main".
local entry_points = { main = true, assay_device_entry = true, LLVMFuzzerTestOneInput = true,
  LLVMFuzzerInitialize = true, __sanitizer_cov_8bit_counters_init = true }
local functions, modules = {}, {} -- functions[folder][name], modules[folder][name]: where it is defined
local bad = false

local function report(path, line, ...)
  print(("%s:%d: %s"):format(path, line, string.format(...)))
  bad = true
end

local function unbroken(line, fenced)
  return fenced or line:find "^|" or line:find "^    " or line:find "%-%->$" or not line:sub(1, MOST):find "%S%s+%S"
end

local function check_columns(path, lines)
  if not (path:find "%.[ch]$" or path:find "%.md$" or path == "Makefile" or path == ".ci/run") then return end
  local markdown, off, fenced = path:find "%.md$", false, false
  for number, line in ipairs(lines) do
    if line:find("clang%-format off") then off = true elseif line:find("clang%-format on") then off = false end
    if markdown and line:find "^```" then fenced = not fenced end
    local columns = utf8.len(line) or #line
    if columns > MOST and not off and not (markdown and unbroken(line, fenced)) then
      report(path, number, "%d columns, at most %d", columns, MOST)
    end
  end
end

-- The pattern that finds the first word of a comment in a line, by the language of the file.
local function comment_pattern(path)
  if path:find "%.[chp]y?$" and not path:find "%.py$" or path:find "%.comp$" or path:find "%.glsl$" or path:find "%.inc$" then
    return "/[*/]+ ?(%a+)"
  elseif path:find "%.lua$" then
    return "^%s*%-%-+%[?%[? ?(%a+)"
  elseif not path:find "%.md$" then
    return "^%s*#+ ?(%a+)"
  end
end

-- In a run of comment lines only the first line begins a comment.
local function check_comments(path, lines)
  local pattern = comment_pattern(path)
  local line_comments = pattern and pattern:find "^%^"
  local within = false
  for number, line in ipairs(lines) do
    local word = pattern and line:match(pattern)
    if word and misleading[word] and not (line_comments and within) then
      report(path, number, 'a comment begins with "%s", expected its subject', word)
    end
    within = line_comments and line:find(pattern:find "#" and "^%s*#" or "^%s*%-%-") ~= nil
  end
end

local function define(kind, table_of, folder, name, owner, path, line)
  local known = table_of[folder] or {}
  table_of[folder] = known
  if known[name] and known[name] ~= owner then
    report(path, line, "%s has the %s `%s`, too", known[name], kind, name)
  end
  known[name] = known[name] or owner
end

-- A header belongs to the file of the same name, X_internal.h to X.c.
local function check_module(path, folder)
  local module = path:match "([^/]*)%.[ch]$":gsub("_internal$", "")
  if entry_points[module] then return end
  define("module", modules, folder, module, path:match "^(.*/)" .. module, path, 1)
end

-- clang-format puts the opening brace of a function, and of nothing else, alone into the first column.
local function check_functions(path, folder, lines)
  for number, line in ipairs(lines) do
    if line == "{" then
      local first = number - 1
      while first > 1 and lines[first]:find "^%s" do first = first - 1 end
      local name = lines[first]:gsub("__attribute__%(%b()%)%s*", ""):match "([%w_]+)%s*%("
      if name and not entry_points[name] then define("function", functions, folder, name, path, path, first) end
    end
  end
end

-- Calls `found` with the line of each "?" that stands in an operand of another one. A comma, a semicolon or a brace ends
-- an operand; a parenthesis within it does not.
local function each_nested(lines, found)
  local text = table.concat(lines, "\n"):gsub("/%*.-%*/", function(comment) return (comment:gsub("[^\n]", " ")) end)
  text = text:gsub("\\[^\n]", "  "):gsub('"[^"\n]*"', '""'):gsub("'[^'\n]*'", "''"):gsub("//[^\n]*", "")
  local line, open = 1, { 0 } -- open[depth]: the "?" so far in the operand at that depth of parentheses
  for c in text:gmatch "[?(),;{}\n]" do
    if c == "\n" then line = line + 1
    elseif c == "(" then open[#open + 1] = open[#open]
    elseif c == ")" and #open > 1 then open[#open] = nil
    elseif c == "?" then
      open[#open] = open[#open] + 1
      if open[#open] == 2 then found(line) end
    elseif c == "," then open[#open] = open[#open - 1] or 0
    else open = { 0 } end
  end
end

for _, path in ipairs(arg) do
  local lines = {}
  for line in io.lines(path) do lines[#lines + 1] = line end
  check_columns(path, lines)
  check_comments(path, lines)
  if path:find "%.[ch]$" then
    local folder = path:match "^[^/]*"
    check_module(path, folder)
    check_functions(path, folder, lines)
    each_nested(lines, function(line) report(path, line, "`?:` in an operand of another one") end)
  end
end
os.exit(not bad)
