-- Compares the specs with operator pages: tools/pagecheck [--specs DIR] PAGE.md...
--   Pages are Markdown as published (front matter, `### -field NAME`, tables under `## Tensor support`), as on the site
--   (`## Members`), or with sentence ids in brackets. It compares fields, the level of introduction, feature-level
--   tables and "must have the same" constraints. It prints a line for each difference and exits with 1; with 2 if it
--   compared nothing. Levels newer than the page, rules that end before its newest level, and a spec's errata are no
--   differences.

local json = dofile((string.match(arg[0], "^(.*/)") or "./") .. "json.lua")

-- ---- reading a page

local function trim(text) return (string.gsub(string.gsub(text, "^%s+", ""), "%s+$", "")) end

-- Returns the lines of a page, without sentence ids.
local function lines_of(path)
  local lines = {}
  local file = assert(io.open(path))
  for line in file:lines() do
    line = string.gsub(line, "\r$", "")
    lines[#lines + 1] = (string.gsub(line, " ?%[%x%x%x%x%x%-%d+%]", ""))
  end
  file:close()
  return lines
end

local function field_of(line)
  return string.match(line, "^#+ %-field ([%w_]+)") or string.match(line, "^#+ `([%w_]+)`%s*$")
    or string.match(line, "^`([%w_]+)`%s*$")
end

local function cells_of(line)
  local cells = {}
  for cell in string.gmatch(string.sub(line, 2), "([^|]*)|") do cells[#cells + 1] = trim(cell) end
  return cells
end

-- Returns the lowest and highest count that a pattern such as "{ [D0], D1, D2 }" allows; nil for other patterns.
local function pattern_dims(pattern)
  local most, optional = 0, 0
  local inner = string.match(pattern or "", "^{(.*)}$")
  for entry in string.gmatch(inner or "", "[^,]+") do
    entry = trim(entry)
    if not string.match(entry, "^%[?%w+%]?$") then return nil end
    most = most + 1
    if string.sub(entry, 1, 1) == "[" then optional = optional + 1 end
  end
  if most > 0 then return most - optional, most end
end

local function add_row(page, level, columns, cells)
  local row = {}
  for i, column in ipairs(columns) do row[column] = cells[i] or "" end
  local low, high = string.match(row.counts or "", "^(%d+) to (%d+)$")
  low = low or string.match(row.counts or "", "^(%d+)$")
  local types = {}
  for name in string.gmatch(row.types or "", "[%u%d]+") do types[#types + 1] = name end
  table.insert(level, { tensor = row.tensor, kind = string.lower(row.kind or ""), types = types,
    low = tonumber(low), high = tonumber(high or low), pattern = row.pattern })
  page.kinds[row.tensor] = string.lower(row.kind or "")
end

local headings = { Tensor = "tensor", Kind = "kind", Dimensions = "pattern",
  ["Supported dimension counts"] = "counts", ["Supported data types"] = "types" }

-- Reads a line of `## Tensor support`: the heading of a level, or a row.
local function read_support(page, line, state)
  local level = string.match(line, "^#+ .*DML_FEATURE_LEVEL_(%d+_%d+)")
  if level then state.level, state.columns = level, nil end
  if string.sub(line, 1, 1) ~= "|" or string.match(line, "^|[ :|-]+$") then return end
  local cells = cells_of(line)
  if headings[cells[1]] then
    state.columns = {}
    for i, cell in ipairs(cells) do state.columns[i] = headings[cell] or cell end
  elseif state.columns then
    local name = state.level or page.since or "?"
    if not page.levels[name] then
      page.levels[name] = {}
      table.insert(page.order, name)
    end
    add_row(page, page.levels[name], state.columns, cells)
  end
end

-- "*A*, `B`, and *C* must have the same *X* and *Y*."
local function read_constraint(page, line)
  local left, right = string.match(line, "^(.-) must have the same (.*)$")
  if not left then return end
  local tensors = {}
  for name in string.gmatch(left, "[*`]([%w_]+)[*`]") do tensors[#tensors + 1] = name end
  for property in string.gmatch(right, "[*`](%w+)[*`]") do
    table.insert(page.same, { property = property, tensors = tensors })
  end
end

-- Returns the operator of a title or first heading, such as "GATHER_ND".
local function name_of(line)
  local struct = string.match(line, "^title: DML_([%u%d_]+)_DESC") or string.match(line, "^# DML_([%u%d_]+)_DESC")
  return struct and (string.gsub(struct, "_OPERATOR$", ""))
end

local function read_page(path)
  local page = { path = path, fields = {}, types = {}, kinds = {}, levels = {}, order = {}, same = {}, struct = {} }
  local section, state, code = "", {}, false
  for _, line in ipairs(lines_of(path)) do
    page.name = page.name or name_of(line)
    if string.match(line, "^```") then code = not code end
    if code then
      local member = section == "syntax" and string.match(line, "^%s+[%w_ ]+[* ]%s*([%w_]+);")
      if member then table.insert(page.struct, member) end
    else
      if string.match(line, "^##? ") then section = string.lower(trim((string.gsub(line, "^#+ %-?", "")))) end
      local field = (section == "members" or section == "struct-fields") and field_of(line)
      if field then table.insert(page.fields, field) end
      local type = #page.fields > 0 and string.match(line, "^Type:(.*)")
      if type then
        page.types[page.fields[#page.fields]] = string.find(type, "DML_TENSOR_DESC", 1, true) and "tensor"
          or string.find(type, "UINT", 1, true) and "uint" or trim(type)
      end
      if section == "availability" then
        page.since = page.since or string.match(line, "introduced in `?DML_FEATURE_LEVEL_(%d+_%d+)")
      end
      if section == "tensor constraints" then read_constraint(page, line) end
      if section == "tensor support" then read_support(page, line, state) end
    end
  end
  return page
end

-- ---- comparing

local differences = 0

local function differ(page, what, says, spec_says)
  differences = differences + 1
  print(("%s: %s: page says %s, spec says %s"):format(page.path, what, says, spec_says))
end

local function level_number(name)
  local major, minor = string.match(name or "0_0", "^(%d+)_(%d+)$")
  return tonumber(major or 0) * 100 + tonumber(minor or 0)
end

local function listed(names) return #names > 0 and table.concat(names, ", ") or "nothing" end

local function compare_lists(page, what, found, wanted)
  if table.concat(found, " ") ~= table.concat(wanted, " ") then differ(page, what, listed(found), listed(wanted)) end
end

local function compare_fields(page, spec)
  local names = {}
  for i, field in ipairs(spec.fields) do names[i] = field.name end
  compare_lists(page, "fields", page.fields, names)
  if #page.struct > 0 then compare_lists(page, "members of the struct", page.struct, names) end
  for _, field in ipairs(spec.fields) do
    local type, kind = page.types[field.name], page.kinds[field.name]
    local wanted = field.kind == "uint" and "uint" or "tensor"
    if type and type ~= wanted then differ(page, field.name, type, wanted) end
    local full = (field.optional and "optional " or "") .. field.kind
    if kind and kind ~= full then differ(page, "kind of " .. field.name, kind, full) end
  end
end

local function sorted(list)
  local copy = table.move(list, 1, #list, 1, {})
  table.sort(copy)
  return copy
end

local function compare_row(page, where, row, spec, level)
  local group
  for _, field in ipairs(spec.fields) do if field.name == row.tensor then group = field.group end end
  if not group then return differ(page, where, "a tensor " .. tostring(row.tensor), "none") end
  compare_lists(page, where .. row.tensor .. ": data types", sorted(row.types), sorted(level.types[group]))
  local dims = level.dims[row.tensor]
  local function range(low, high) return low == high and tostring(low) or ("%s to %s"):format(low, high) end
  if row.low ~= dims[1] or row.high ~= dims[2] then
    differ(page, where .. row.tensor .. ": dimension counts", range(row.low, row.high), range(dims[1], dims[2]))
  end
  local low, high = pattern_dims(row.pattern)
  if low and (low ~= dims[1] or high ~= dims[2]) then
    differ(page, where .. row.tensor .. ": dimensions", row.pattern, range(dims[1], dims[2]))
  end
end

-- Returns the newest table of the spec up to a level.
local function table_at(spec, name)
  local found
  for _, level in ipairs(spec.levels) do
    if level_number(level.level) <= level_number(name) then found = level end
  end
  return found
end

local function compare_tables(page, spec)
  local errata, seen, newest = spec.errata or {}, {}, 0
  for _, name in ipairs(page.order) do
    local at = name == errata.since and spec.since or name
    local level = level_number(at) >= level_number(spec.since) and table_at(spec, at)
    local where, rows = "level " .. name .. ": ", {}
    newest = math.max(newest, level_number(at))
    seen[at] = true
    if not level then
      differ(page, "level " .. name, "a table", "the operator exists from " .. spec.since .. " on")
    else
      for _, row in ipairs(page.levels[name]) do
        rows[row.tensor] = true
        compare_row(page, where, row, spec, level)
      end
      for _, field in ipairs(spec.fields) do
        if field.kind ~= "uint" and not rows[field.name] then
          differ(page, where .. field.name, "nothing", "a tensor")
        end
      end
    end
  end
  for _, level in ipairs(spec.levels) do
    if level_number(level.level) <= newest and not seen[level.level] then
      differ(page, "level " .. level.level, "nothing", "a table")
    end
  end
  return newest
end

-- Returns a map from each tensor to the smallest name among the tensors that share a property with it.
local function classes(constraints, property)
  local class, changed = {}, true
  for _, one in ipairs(constraints) do
    if one.property == property then for _, name in ipairs(one.tensors) do class[name] = name end end
  end
  while changed do
    changed = false
    for _, one in ipairs(constraints) do
      for _, name in ipairs(one.property == property and one.tensors or {}) do
        local first = class[one.tensors[1]]
        if class[name] ~= first then
          local least = class[name] < first and class[name] or first
          class[name], class[one.tensors[1]], changed = least, least, true
        end
      end
    end
  end
  return class
end

local function described(class)
  local names = {}
  for name, lead in pairs(class) do names[lead] = names[lead] or {} table.insert(names[lead], name) end
  local groups = {}
  for _, group in pairs(names) do groups[#groups + 1] = table.concat(sorted(group), " = ") end
  return listed(sorted(groups))
end

local function compare_constraints(page, spec, newest)
  local wanted = {}
  for _, rule in ipairs(spec.rules) do
    if not rule.before or level_number(rule.before) > newest then
      for _, one in ipairs(rule.same) do wanted[#wanted + 1] = one end
    end
  end
  for _, property in ipairs { "DimensionCount", "DataType", "Sizes" } do
    local ours, theirs = classes(wanted, property), classes(page.same, property)
    -- Pages describe sizes mostly in prose: check only what the page's constraints say, not the reverse.
    if property == "Sizes" then for name in pairs(ours) do if not theirs[name] then ours[name] = nil end end end
    local found, known = described(theirs), described(ours)
    if found ~= known then differ(page, "same " .. property, found, known) end
  end
end

local function compare(page, spec)
  compare_fields(page, spec)
  local errata = spec.errata or {}
  if page.since and page.since ~= spec.since and page.since ~= errata.since then
    differ(page, "introduced", page.since, spec.since)
  end
  -- Pages from before 2020 have only fields.
  if #page.order > 0 then compare_constraints(page, spec, compare_tables(page, spec)) end
end

-- ---- the command

local paths, specs = {}, nil
local i = 1
while arg[i] do
  if arg[i] == "--specs" then
    specs, i = arg[i + 1], i + 1
  else
    paths[#paths + 1] = arg[i]
  end
  i = i + 1
end
if #paths == 0 then
  io.stderr:write("usage: tools/pagecheck [--specs DIR] PAGE.md...\n")
  os.exit(2)
end

local function quoted(text) return "'" .. string.gsub(text, "'", "'\\''") .. "'" end

local program = os.getenv "ASSAY" or "build/assay"
local pipe = assert(io.popen(quoted(program) .. " spec --json" .. (specs and " --specs " .. quoted(specs) or "")))
local text = pipe:read "a"
if not pipe:close() then os.exit(2) end
local by_page = {}
for _, spec in ipairs(json(text).operators) do by_page[spec.page] = spec end

local compared = 0
for _, path in ipairs(paths) do
  local page = read_page(path)
  local spec = by_page[page.name or ""]
  if spec then
    compare(page, spec)
    compared = compared + 1
  else
    io.stderr:write(("%s: %s: not compared\n"):format(path, page.name and "no spec is for page " .. page.name
      or "not an operator page"))
  end
end
print(("%d pages compared, %d differences"):format(compared, differences))
os.exit(compared == 0 and 2 or differences > 0 and 1 or 0)
