-- This test compares specs/catalogue.lua with itself, device/dml.h and the specs. catalogue.sh compares it with the
-- documents' tables.

local json = dofile "tools/json.lua"
local catalogue = dofile "specs/catalogue.lua"

local tap = dofile "tools/tap.lua"
local clean, is = tap.clean, tap.is

-- ---- the catalogue

local levels = {}
for level in ("1_0 2_0 2_1 3_0 3_1 4_0 4_1 5_0 5_1 5_2 6_0 6_1 6_2 6_3 6_4"):gmatch "%S+" do
  levels[#levels + 1] = level
end
local place = {}
for i, level in ipairs(levels) do place[level] = i end

local is_tensor = { input = true, output = true, inputs = true, outputs = true }

local function find_field(op, name)
  for i, field in ipairs(op.fields) do if field[2] == name then return field, i end end
end

local function has(list, value)
  for _, one in ipairs(list) do if one == value then return true end end
  return false
end

-- Returns the row of a tensor in an entry of `levels`.
local function row_of(op, entry, tensor)
  local field = find_field(op, tensor)
  return entry[field.like or tensor]
end

-- Returns the entry that holds at a level, for an operator whose tables depend on no attribute.
local function entry_at(op, level)
  local found
  for _, entry in ipairs(op.levels) do if place[entry[1]] <= place[level] then found = entry end end
  return found
end

-- ---- the operators by themselves

is(#catalogue.operators, 177, "177 operators")

local by_name, wrong = {}, {}
for i, op in ipairs(catalogue.operators) do
  if op.ordinal ~= i then wrong[#wrong + 1] = op.name .. ": ordinal " .. op.ordinal end
  if by_name[op.name] then wrong[#wrong + 1] = op.name .. " is there twice" end
  by_name[op.name] = op
end
clean(wrong, "each once, by ordinal")

local kinds = { "input", "output", "inputs", "outputs", "uint", "int", "float", "bool", "enum", "uints", "ints",
  "floats", "scale_bias", "size_2d", "scalar", "operator", "operators" }
wrong = {}
for _, op in ipairs(catalogue.operators) do
  for i, field in ipairs(op.fields) do
    local kind, name = field[1], field[2]
    local function expect(good, what)
      if not good then wrong[#wrong + 1] = ("%s: %s: %s"):format(op.name, name, what) end
    end
    local function at(other) return select(2, find_field(op, other)) or #op.fields + 1 end
    expect(has(kinds, kind), "kind " .. kind)
    expect(select(2, find_field(op, name)) == i, "twice")
    local counted = has({ "inputs", "outputs", "uints", "ints", "floats", "operators" }, kind)
    expect(counted == (field.count ~= nil), "a count belongs to arrays")
    local counter = field.count and find_field(op, field.count) or {}
    expect(not counted or counter[1] == "uint" and at(field.count) < i, "count " .. tostring(field.count))
    expect((kind == "scalar") == (field.typed_by ~= nil), "typed_by belongs to scalars")
    expect(kind ~= "scalar" or at(field.typed_by) < i, "typed_by " .. tostring(field.typed_by))
    expect((kind == "enum") == (catalogue.enums[field.type] ~= nil), "type " .. tostring(field.type))
    expect(not field.like or is_tensor[kind] and at(field.like) < i and not find_field(op, field.like).like, "like")
    expect(not field.optional or field.optional == true or place[field.optional], "optional")
    expect(not field.optional or is_tensor[kind] or kind == "scale_bias" or kind == "operator", "cannot be null")
  end
end
clean(wrong, "fields have what their kind needs")

local function is_superset(types, of)
  for _, type in ipairs(of) do if not has(types, type) then return false end end
  return true
end

local function same_where(a, b)
  local x, y = a.where and a.where.Function or {}, b.where and b.where.Function or {}
  return table.concat(x, " ") == table.concat(y, " ")
end

wrong = {}
for _, op in ipairs(catalogue.operators) do
  if op.levels[1][1] ~= op.since then wrong[#wrong + 1] = op.name .. ": no table at " .. op.since end
  for i, entry in ipairs(op.levels) do
    local before
    for j = 1, i - 1 do if same_where(op.levels[j], entry) then before = op.levels[j] end end
    for _, field in ipairs(op.fields) do
      local row = is_tensor[field[1]] and row_of(op, entry, field[2])
      local function expect(good, what)
        if not good then wrong[#wrong + 1] = ("%s: level %s: %s: %s"):format(op.name, entry[1], field[2], what) end
      end
      if is_tensor[field[1]] and not row then
        expect(false, "no row")
      elseif row then
        local low, high = row[2], row[3] or row[2]
        expect(#row[1] > 0 and low >= 1 and low <= high and high <= 8, "no range")
        expect(not before or place[before[1]] < place[entry[1]], "levels out of order")
        local old = before and row_of(op, before, field[2])
        expect(not old or is_superset(row[1], old[1]), "a type of the level below is gone")
        expect(not old or low <= old[2] and high >= (old[3] or old[2]), "a dimension count of the level below is gone")
      end
    end
  end
end
clean(wrong, "every tensor has types and dimension counts at every level, never fewer than below")

local properties = { "DataType", "DimensionCount", "Sizes" }
wrong = {}
for _, op in ipairs(catalogue.operators) do
  for _, key in ipairs { "same", "beyond" } do
    for _, one in ipairs(op[key] or {}) do
      for i = 2, #one do
        local field = find_field(op, one[i])
        if not field or not is_tensor[field[1]] then wrong[#wrong + 1] = ("%s: %s: %s"):format(op.name, key, one[i]) end
      end
      if #one < (key == "same" and 3 or 2) then wrong[#wrong + 1] = op.name .. ": too few tensors in " .. key end
      if key == "beyond" and not one.types and not one.dims then wrong[#wrong + 1] = op.name .. ": nothing beyond" end
      for property in (key == "same" and one[1] or ""):gmatch "[^+]+" do
        if not has(properties, property) then wrong[#wrong + 1] = op.name .. ": " .. property end
      end
    end
  end
end
clean(wrong, "relations and exceptions name tensors of their operator")

-- ---- counts

local function operators_with(fits)
  local found = 0
  for _, op in ipairs(catalogue.operators) do if fits(op) then found = found + 1 end end
  return found
end
local function any_field(fits)
  return function(op)
    for _, field in ipairs(op.fields) do if fits(field) then return true end end
    return false
  end
end
local function of_kind(...)
  local wanted = { ... }
  return any_field(function(field) return has(wanted, field[1]) end)
end
local function outputs_of(op)
  local outputs = 0
  for _, field in ipairs(op.fields) do outputs = outputs + (field[1] == "output" and 1 or 0) end
  return outputs
end
local needs_more = any_field(function(field)
  return field.optional or not has({ "input", "output", "uint" }, field[1])
end)
is(operators_with(function(op) return not needs_more(op) and outputs_of(op) == 1 end), 54,
  "54 have only required tensors, of which one output, and UINTs")
is(operators_with(function(op) return not needs_more(op) and outputs_of(op) > 1 end), 3, "3 have more outputs than one")
is(operators_with(function(op) return outputs_of(op) > 1 end), 17, "17 have several output fields")
for _, one in ipairs {
  { 37, "enum" }, { 17, "bool" }, { 39, "float" }, { 29, "uints" }, { 26, "scale_bias" }, { 8, "operator" },
  { 3, "operators" }, { 7, "floats" }, { 6, "scalar" }, { 4, "inputs", "outputs" }, { 2, "int" }, { 2, "ints" },
  { 2, "size_2d" },
} do
  local kind = table.concat(one, " or ", 2)
  is(operators_with(of_kind(table.unpack(one, 2))), one[1], ("%d have a field of kind %s"):format(one[1], kind))
end
is(operators_with(of_kind("enum", "bool")), 47, "47 have an enum or a bool")
is(operators_with(any_field(function(field) return is_tensor[field[1]] and field.optional end)), 25,
  "25 have an optional tensor")
is(operators_with(function(op)
  for _, entry in ipairs(op.levels) do
    for _, row in pairs(entry) do
      if type(row) == "table" and type(row[1]) == "table" and has(row[1], "INT4") then return true end
    end
  end
end), 2, "2 have 4-bit elements")
is(operators_with(function(op) return op.levels[1].where end), 1, "1 has types that depend on an attribute")

-- ---- device/dml.h

local file = assert(io.open "device/dml.h")
local header = file:read "a"
file:close()

local function body_of(kind, name) return header:match(("typedef %s %s {(.-)} %s;"):format(kind, name, name)) end

local pointers = { uints = "const UINT *", ints = "const INT *", floats = "const FLOAT *",
  operator = "const DML_OPERATOR_DESC *", operators = "const DML_OPERATOR_DESC *" }
local plain = { uint = "UINT ", int = "INT ", float = "FLOAT ", bool = "BOOL ", size_2d = "DML_SIZE_2D ",
  scalar = "DML_SCALAR_UNION " }

local function member(field)
  local kind = field[1]
  if is_tensor[kind] then return "const DML_TENSOR_DESC *" .. field[2] end
  if kind == "scale_bias" then return (field.optional and "const DML_SCALE_BIAS *" or "DML_SCALE_BIAS ") .. field[2] end
  return (pointers[kind] or plain[kind] or field.type .. " ") .. field[2]
end

wrong = {}
local values = body_of("enum", "DML_OPERATOR_TYPE")
for _, op in ipairs(catalogue.operators) do
  local struct = op.struct or "DML_" .. op.name .. "_OPERATOR_DESC"
  local found, wanted = {}, {}
  for line in (body_of("struct", struct) or ""):gmatch "    ([^;]*);" do found[#found + 1] = line end
  for i, field in ipairs(op.fields) do wanted[i] = member(field) end
  found, wanted = table.concat(found, "; "), table.concat(wanted, "; ")
  if found ~= wanted then wrong[#wrong + 1] = ("%s: dml.h: %s; catalogue: %s"):format(struct, found, wanted) end
  if not values:find(("    DML_OPERATOR_%s = %d,"):format(op.name, op.ordinal), 1, true) then
    wrong[#wrong + 1] = "no value of DML_OPERATOR_" .. op.name
  end
end
clean(wrong, "structs and operator types are those of device/dml.h")

wrong = {}
for enum, constants in pairs(catalogue.enums) do
  local _, known = (body_of("enum", enum) or ""):gsub("\n    DML_", "")
  if known ~= #constants then wrong[#wrong + 1] = ("%s: %d constants in dml.h"):format(enum, known) end
  for _, constant in ipairs(constants) do
    if not header:find(("    %s_%s = %d,"):format(enum, constant[1], constant[2]), 1, true) then
      wrong[#wrong + 1] = ("%s_%s: no such constant in dml.h"):format(enum, constant[1])
    end
    if constant.from and not place[constant.from] then wrong[#wrong + 1] = enum .. ": from " .. constant.from end
  end
end
clean(wrong, "enumerations are those of device/dml.h")

-- ---- the specs

local pipe = assert(io.popen("'" .. (os.getenv "ASSAY" or "build/assay") .. "' spec --json"))
local text = pipe:read "a"
assert(pipe:close(), "assay spec --json")

local function sorted(list)
  local copy = table.move(list, 1, #list, 1, {})
  table.sort(copy)
  return table.concat(copy, " ")
end

-- Returns the union of the tables in force at a level, of which each holds only for some values of an attribute.
local function union_at(op, level, tensor)
  local newest, all, has_type = {}, {}, {}
  for _, entry in ipairs(op.levels) do
    if place[entry[1]] <= place[level] then newest[table.concat(entry.where.Function, " ")] = entry end
  end
  local low, high
  for _, entry in pairs(newest) do
    local row = row_of(op, entry, tensor)
    for _, type in ipairs(row[1]) do
      if not has_type[type] then all[#all + 1] = type end
      has_type[type] = true
    end
    low, high = math.min(low or row[2], row[2]), math.max(high or 0, row[3] or row[2])
  end
  return { all, low, high }
end

-- Returns the differences between a spec and the catalogue about a tensor at one level, as sentences.
local function compare_row(op, spec, table_of_spec, level, field)
  local row = row_of(op, entry_at(op, level), field.name)
  if op.levels[1].where then row = union_at(op, level, field.name) end
  local dims = table_of_spec.dims[field.name]
  local types = sorted(table_of_spec.types[field.group])
  local differ = {}
  if types ~= sorted(row[1]) then
    differ[1] = ("%s: level %s: %s: types %s, catalogue %s"):format(spec.name, level, field.name, types, sorted(row[1]))
  end
  if dims[1] ~= row[2] or dims[2] ~= (row[3] or row[2]) then
    differ[#differ + 1] = ("%s: level %s: %s: dimensions %d to %d, catalogue %d to %d"):format(spec.name, level,
      field.name, dims[1], dims[2], row[2], row[3] or row[2])
  end
  return differ
end

-- Returns relations as text, each with all the tensors that it ties: a spec ties them in pairs.
local function described(relations)
  local sets = {}
  for _, one in ipairs(relations) do
    local set = { key = ("%s %s %s"):format(one.property, one.strength or "reject", one.before or ""), names = {} }
    for _, tensor in ipairs(one.tensors) do set.names[tensor] = true end
    for i = #sets, 1, -1 do
      local shared = false
      for tensor in pairs(sets[i].names) do shared = shared or sets[i].key == set.key and set.names[tensor] end
      if shared then
        for tensor in pairs(table.remove(sets, i).names) do set.names[tensor] = true end
      end
    end
    sets[#sets + 1] = set
  end
  local texts = {}
  for i, set in ipairs(sets) do
    local names = {}
    for tensor in pairs(set.names) do names[#names + 1] = tensor end
    texts[i] = set.key .. " " .. sorted(names)
  end
  return texts
end

local function relations_of_spec(spec)
  local found = {}
  for _, rule in ipairs(spec.rules) do
    for _, one in ipairs(rule.same) do
      found[#found + 1] = { property = one.property, strength = rule.strength, before = rule.before,
        tensors = one.tensors }
    end
  end
  return described(found)
end
local function relations_of(op)
  local found = {}
  for _, one in ipairs(op.same or {}) do
    -- A relation that holds for some values is a rule of its own.
    for property in one[1]:gmatch(one.where and "%f[%w]$" or "[^+]+") do
      found[#found + 1] = { property = property, strength = one.strength, before = one.before,
        tensors = { table.unpack(one, 2) } }
    end
  end
  return described(found)
end

local specs = json(text).operators
local fields, tables, relations = {}, {}, {}
for _, spec in ipairs(specs) do
  local op = by_name[spec.name] or { fields = {}, levels = {} }
  if spec.since ~= op.since then fields[#fields + 1] = ("%s: since %s"):format(spec.name, spec.since) end
  if (spec.errata and spec.errata.since) ~= op.page_since then fields[#fields + 1] = spec.name .. ": errata" end
  if #spec.fields ~= #op.fields then fields[#fields + 1] = ("%s: %d fields"):format(spec.name, #spec.fields) end
  for i, field in ipairs(spec.fields) do
    local known = op.fields[i] or {}
    if field.name ~= known[2] or field.kind ~= known[1] or (field.optional or nil) ~= known.optional then
      fields[#fields + 1] = ("%s: field %d: %s %s, catalogue %s %s"):format(spec.name, i, field.kind, field.name,
        tostring(known[1]), tostring(known[2]))
    end
  end
  for i = place[spec.since], #levels do
    local holds
    for _, one in ipairs(spec.levels) do if place[one.level] <= i then holds = one end end
    for _, field in ipairs(spec.fields) do
      if is_tensor[field.kind] then
        local differ = compare_row(op, spec, holds, levels[i], field)
        table.move(differ, 1, #differ, #tables + 1, tables)
      end
    end
  end
  local known, catalogued = relations_of_spec(spec), relations_of(op)
  for _, one in ipairs(catalogued) do
    if not has(known, one) then relations[#relations + 1] = ("%s: the spec lacks: %s"):format(spec.name, one) end
  end
  for _, one in ipairs(known) do
    if not one:find "^Sizes" and not has(catalogued, one) then
      relations[#relations + 1] = ("%s: the catalogue lacks: %s"):format(spec.name, one)
    end
  end
end
is(#specs > 0, true, ("%d specs are compared"):format(#specs))
clean(fields, "the specs have the fields, levels of introduction and errata of the catalogue")
clean(tables, "the specs have the types and dimension counts of the catalogue at every level")
clean(relations, "the specs have the relations of the catalogue; equal sizes may be more")

tap.done()
