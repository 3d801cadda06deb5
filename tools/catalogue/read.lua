-- Reads operators, enumerations and feature levels from the documents' tables, without corrections.

local tables = require "tables"

local kinds = { INT = "int", FLOAT = "float", UINT_ARRAY = "uints", INT_ARRAY = "ints", FLOAT_ARRAY = "floats",
  SCALE_BIAS = "scale_bias", SIZE_2D = "size_2d", SCALAR_UNION = "scalar", OPERATOR_DESC = "operator",
  OPERATOR_DESC_ARRAY = "operators" }

local function wrong(...) error(string.format(...), 0) end

local function split(text)
  local parts = {}
  for part in text:gmatch "[^,]+" do parts[#parts + 1] = part end
  return parts
end

-- True if a text of names with commas between them contains a name.
local function lists(text, name) return ("," .. text .. ","):find("," .. name .. ",", 1, true) ~= nil end

-- An operator: name, ordinal, struct, since, page_since, in_place, fields, levels (each with `from`, `group` and a row
-- per tensor in `rows`), same, beyond, notes. A field: what the catalogue prints of it.
local operators, by_name, enums, level_of = {}, {}, {}, {}

local function read_enums(folder)
  for row in tables.rows(folder .. "/enums.tsv") do
    local enum = enums[row.enum] or { name = row.enum, constants = {} }
    enums[row.enum] = enum
    table.insert(enum.constants, { name = row.constant, value = math.tointeger(tonumber(row.value)),
      since = tonumber(row.since_target_version:match "^%S+") })
    if row.enum == "DML_FEATURE_LEVEL" then level_of[tonumber(row.value)] = row.constant end
  end
end

local function level_number(name)
  for number, level in pairs(level_of) do if level == name then return number end end
  wrong("'%s' is no feature level", name)
end

-- Returns the field before `at` that counts the elements of an array, or has the type of a scalar.
local function preceding(op, at, fits, what)
  for i = at - 1, 1, -1 do if fits(op.fields[i]) then return op.fields[i].name end end
  wrong("%s: %s: no field before it %s", op.name, op.fields[at].name, what)
end
local function is_count(field) return field.kind == "uint" and field.name:match "Count$" end
local function is_data_type(field) return field.type == "DML_TENSOR_DATA_TYPE" end

local function kind_of(field)
  if field.direction == "in" then return field.array and "inputs" or "input" end
  if field.direction == "out" then return field.array and "outputs" or "output" end
  if field.type ~= "UINT" and field.type ~= "BOOL" then return kinds[field.type] end
  return field.meaning == "" and "uint" or field.meaning == "BOOL" and "bool" or enums[field.meaning] and "enum"
end

local function read_fields(op, text)
  op.fields = {}
  for i, field in ipairs(tables.fields(text)) do
    local kind = kind_of(field) or wrong("%s: %s: type %s is not known", op.name, field.name, field.type)
    op.fields[i] = { kind = kind, name = field.name, optional = field.optional or nil,
      type = kind == "enum" and field.meaning or nil, tensor = field.direction ~= "attr" }
    if kind:match "s$" and kind ~= "scale_bias" then
      op.fields[i].count = preceding(op, i, is_count, "counts its elements")
    elseif kind == "scalar" then
      op.fields[i].typed_by = preceding(op, i, is_data_type, "tells its type")
    end
    if kind == "enum" then enums[field.meaning].used = true end
  end
end

local function find_field(op, name)
  for i, field in ipairs(op.fields) do if field.name == name then return field, i end end
  wrong("%s: no field is named %s", op.name, name)
end

local function read_operators(folder)
  for row in tables.rows(folder .. "/operators.tsv") do
    local name = row.operator:match "^DML_OPERATOR_(.+)$" or wrong("operators.tsv: '%s' is no operator", row.operator)
    local op = { name = name, ordinal = math.tointeger(tonumber(row.ordinal)), struct = row.desc_struct,
      since = row.introduced_ruled, levels = {}, same = {}, beyond = {}, notes = {} }
    if row.introduced_page ~= op.since then op.page_since = row.introduced_page end
    local schema, page = row.inplace_schema, row.inplace_page
    op.in_place = schema == "1" and page == "1" or nil
    op.in_place_disputed = schema ~= "" and schema ~= page or nil
    if op.ordinal ~= #operators + 1 then wrong("%s: ordinal %s, expected %d", name, row.ordinal, #operators + 1) end
    level_number(op.since)
    read_fields(op, row.fields)
    operators[#operators + 1], by_name[name] = op, op
  end
end

local function operator_of(row, file)
  return by_name[row.operator:match "^DML_OPERATOR_(.+)$"] or wrong("%s: '%s' is no operator", file, row.operator)
end

local function find_level(op, from, group)
  for _, level in ipairs(op.levels) do if level.from == from and level.group == group then return level end end
end

local function read_support(folder)
  for row in tables.rows(folder .. "/tensor_support.tsv") do
    local op = operator_of(row, "tensor_support.tsv")
    local field = find_field(op, row.tensor)
    local level = find_level(op, row.feature_level, row.function_group)
    if not level then
      level = { from = row.feature_level, group = row.function_group, rows = {}, at = #op.levels }
      level_number(level.from)
      table.insert(op.levels, level)
    end
    if not field.tensor then wrong("%s: %s is no tensor", op.name, row.tensor) end
    if level.rows[row.tensor] then wrong("%s: level %s lists %s twice", op.name, level.from, row.tensor) end
    level.rows[row.tensor] = { types = row.data_types, low = tonumber(row.min_dims), high = tonumber(row.max_dims),
      optional = row.optional == "1" }
  end
end

-- Returns the tensors in the order of the struct.
local function in_order(op, tensors)
  local sorted = table.move(tensors, 1, #tensors, 1, {})
  table.sort(sorted, function(a, b) return select(2, find_field(op, a)) < select(2, find_field(op, b)) end)
  return sorted
end

local function read_constraints(folder)
  for row in tables.rows(folder .. "/constraints.tsv") do
    local op = operator_of(row, "constraints.tsv")
    local relation = row.relation:match "^same:([%a+]+)$"
    if not relation and row.relation ~= "other" then wrong("%s: relation '%s' is not known", op.name, row.relation) end
    local tensors = relation and in_order(op, split(row.tensors))
    table.insert(op.same, tensors and { relation = relation, tensors = tensors } or { other = true })
  end
end

local function read(folder)
  read_enums(folder)
  read_operators(folder)
  read_support(folder)
  read_constraints(folder)
end

return { read = read, operators = operators, by_name = by_name, enums = enums, level_of = level_of,
  level_number = level_number, find_field = find_field, find_level = find_level, in_order = in_order, wrong = wrong,
  split = split, lists = lists }
