-- The words that a spec file may use, besides those of expressions.lua. This file runs once per Lua state, before any
-- spec, with all libraries. A spec sees the table that it returns, and the functions of the sandbox. specs/README.md
-- explains the words.

local words, tools = ... -- from expressions.lua
local expect, has_property = tools.expect, tools.has_property

-- The line that uses a word, and "file:line: " for messages. Level 2 is the word, level 3 its caller.
local function line_of_caller()
  local info = debug.getinfo(3, "Sl")
  if not info then return 1, "" end -- the word is in a tail call
  local by_word = info.source == "=load/families.lua" or info.source == "=load/situations.lua"
  if by_word and tools.line then return tools.line, tools.where end
  return info.currentline, ("%s:%d: "):format(info.short_src, info.currentline)
end

-- The catalogue's entries by name of the operator, and the function that adds a struct to it.
local catalogue, type_numbers, constants = {}, {}, {}
local add_struct

local function add_constants(enums)
  for name, list in pairs(enums or {}) do
    constants[name] = {}
    for _, constant in ipairs(list) do constants[name][constant[1]] = constant[2] end
  end
end

function words.set_catalogue(read, add)
  add_struct = add
  for _, op in ipairs(read.operators) do catalogue[op.name] = op end
  add_constants(read.enums)
  for _, constant in ipairs(read.enums and read.enums.DML_TENSOR_DATA_TYPE or {}) do
    type_numbers[constant[1]] = constant[2]
  end
end

-- The values of an enumeration's constants, by name.
function tools.constants(enumeration) return constants[enumeration] end

-- The value of DML_OPERATOR_<name>.
function words.operator_number(name)
  if not catalogue[name] then error(("operator_number: no operator is named '%s'"):format(tostring(name)), 2) end
  return catalogue[name].ordinal
end

-- The parts of an operator.

local function keyed(kind, known)
  local allowed = {}
  for name in string.gmatch(known, "%S+") do allowed[name] = true end
  return function(id, line, where)
    expect(id, "string", kind)
    if not line then line, where = line_of_caller() end
    return function(body)
      if type(body) ~= "table" then error(("%s%s \"%s\": expected a table"):format(where, kind, id), 0) end
      for key in pairs(body) do
        if type(key) == "string" and not allowed[key] and known ~= "*" then
          error(("%s%s \"%s\": unknown key '%s'; known: %s"):format(where, kind, id, key, known), 0)
        end
      end
      body.kind, body.id, body.line, body.where = kind, id, line, where
      return body
    end
  end
end

words.rule = keyed("rule", "strength page ruling from before text untested")
words.behaviour = keyed("behaviour", "strength page ruling from before text shown_by untested accepts reports " ..
  "anywhere bounded when gives of activation given")
words.situation = keyed("situation", "text fill indices strides values pairs each_level")
words.index = keyed("index", "into tuple distinct along")
words.grid = keyed("grid", "from to parts spans")
words.rows = keyed("rows", "count")
local selection = keyed("selection", "values of along descending")
function words.selection(output)
  local make = selection(output, line_of_caller())
  return function(body)
    for _, key in ipairs { "along", "descending" } do
      if type(body) == "table" and math.type(body[key]) == "integer" then body[key] = tools.number(body[key]) end
    end
    return make(body)
  end
end
words.result = keyed("result", "FLOAT16 FLOAT32 FLOAT64 integers zeros bits overflow by activation given domain")
words.stage = keyed("stage", "sizes")
words.example = keyed("example", "*")

-- Words for meanings; coordinates count from 0.

function words.zeros(count)
  local zeros = {}
  for i = 0, count - 1 do zeros[i] = 0 end
  return zeros
end

function words.copy(coordinates)
  local copied = {}
  for i, at in pairs(coordinates) do copied[i] = at end
  return copied
end

-- Returns the position that an index names; a negative index counts from the end. Returns nil if it is out of range.
function words.wrap(index, size)
  if index < 0 then index = index + size end
  return index >= 0 and index < size and index or nil
end

-- Does the same, but an index out of range names the nearest position in range (A22).
function words.nearest(index, size)
  return words.wrap(index, size) or (index < 0 and 0 or size - 1)
end

-- The rulings: `rulings { { "A1", "in one line", unused = "the reason that nothing refers to it" }, … }` in
-- specs/rulings.lua.
function words.rulings(list_of_rulings)
  expect(list_of_rulings, "table", "rulings")
  return { kind = "rulings", list = list_of_rulings }
end

-- The interface: `interface { behaviours = { … }, sentences = { { "D1", "A sentence.", "says" }, … } }` in
-- specs/interface.lua; the third entry is missing if a behaviour carries the sentence.
function words.interface(body)
  expect(body, "table", "interface")
  expect(body.behaviours, "table", "interface: behaviours")
  expect(body.sentences, "table", "interface: sentences")
  for _, one in ipairs(body.behaviours) do
    if type(one) ~= "table" or one.kind ~= "behaviour" then
      error("interface: behaviours must be made by behaviour", 2)
    end
  end
  return { kind = "interface", behaviours = body.behaviours, sentences = body.sentences }
end

-- `tensor_rules { … }` in specs/tensor.lua: rules for every tensor, and behaviours of every operator. Such a rule has
-- functions of (name of the field, "input" or "output", the catalogue's field) that make the atoms for each tensor
-- field.
local general
function words.tensor_rules(rules)
  expect(rules, "table", "tensor_rules")
  if general then error("tensor_rules: already given", 2) end
  for _, rule in ipairs(rules) do
    if type(rule) ~= "table" or rule.kind ~= "rule" and rule.kind ~= "behaviour" then
      error("tensor_rules: rules must be made by rule or behaviour", 2)
    end
    for _, make in ipairs(rule) do
      if type(make) ~= "function" then
        error(("%srule \"%s\": expected functions that make conditions"):format(rule.where, rule.id), 0)
      end
    end
  end
  general = rules
  return { kind = "tensor_rules" }
end

-- Makes one flat list of the conditions of a rule, which may contain lists (from `same`), and its explanation.
local function flatten(rule)
  local function wrong(text) error(("%srule \"%s\": %s"):format(rule.where, rule.id, text), 0) end
  local texts = {}
  rule.atoms = tools.conditions(rule, wrong)
  for i, one in ipairs(rule.atoms) do texts[i] = one.text end
  for _, part in ipairs(rule) do -- a relation of the catalogue has levels and a strength
    if not part.kind then
      rule.strength, rule.before = rule.strength or part.strength, rule.before or part.before
    end
  end
  rule.text = rule.text or table.concat(texts, "; ")
end

-- The rules for every tensor, made for the tensors of an operator. Operators with the same tensors share them.
local made_for = {}
local function general_rules(fields)
  local members, keys, found = {}, {}, {}
  for _, member in ipairs(fields) do
    if member.direction then
      members[#members + 1] = member
      keys[#keys + 1] = ("%s %s %s %s"):format(member.name, member.direction, member.optional, member.array)
    end
  end
  local key = table.concat(keys, "; ")
  if made_for[key] then return made_for[key] end
  for _, rule in ipairs(general or {}) do
    local copy = {}
    for name, value in pairs(rule) do if type(name) == "string" then copy[name] = value end end
    for _, make in ipairs(rule) do
      for _, member in ipairs(members) do
        copy[#copy + 1] = tools.for_tensor(member, make, function(text)
          error(("%srule \"%s\": %s"):format(rule.where, rule.id, text), 0)
        end)
      end
    end
    if #copy > 0 then
      flatten(copy)
      found[#found + 1] = copy
    end
  end
  made_for[key] = found
  return found
end

-- The page of an operator's sentences. Nothing of DirectML documents an operator of one's own.
local function page_of(op, body) return (op.own and "" or "DML_") .. (body.page or op.name) end

-- Returns a behaviour about inputs bound in place, for an operator whose own page supports that; nil for other
-- operators.
local function in_place_behaviour(rule, op, body)
  if not op.in_place or op.in_place == "open" then return nil end
  local copy = {}
  for key, value in pairs(rule) do copy[key] = value end
  copy.page = page_of(op, body) .. (rule.page and ", " .. rule.page or "")
  return copy
end

local function add_general(op, body)
  body.behaviours = body.behaviours or {}
  for _, rule in ipairs(general or {}) do
    local one = rule.kind == "behaviour" and rule or nil
    if one and rule.shown_by and rule.shown_by.in_place then one = in_place_behaviour(rule, op, body) end
    body.behaviours[#body.behaviours + 1] = one
  end
  for _, rule in ipairs(general_rules(body.fields)) do body.rules[#body.rules + 1] = rule end
end

-- The catalogue's facts about an operator, in the form that the C side compiles.

local directions = { input = "input", inputs = "input", output = "output", outputs = "output" }

-- Joins the sets of two members; `lead` has the earlier member of each set.
local function join(lead, a, b)
  while lead[a] ~= a do a = lead[a] end
  while lead[b] ~= b do b = lead[b] end
  lead[math.max(a, b)] = math.min(a, b)
end

local function row_of(field, entry) return entry[field.like or field.name] end

-- Returns the one type that a tensor has at all levels; nil if it has several.
local function only_type(op, field)
  local only
  for _, entry in ipairs(op.levels) do
    local row = row_of(field, entry)
    if #row[1] ~= 1 or only and row[1][1] ~= only then return nil end
    only = row[1][1]
  end
  return only
end

-- Puts tensors that must have the same type into one group. Sets `group`, a number, of each tensor's field.
local function make_groups(op, fields)
  local at, lead, only = {}, {}, {}
  for i, field in ipairs(fields) do
    at[field.name], lead[i] = i, i
    local type = field.direction and only_type(op, field)
    if type and only[type] then join(lead, only[type], i) elseif type then only[type] = i end
  end
  for _, relation in ipairs(op.same or {}) do
    for i = 3, has_property(relation, "DataType") and not relation.where and not relation.before and #relation or 0 do
      join(lead, at[relation[2]], at[relation[i]])
    end
  end
  local group_of, count = {}, 0 -- the number of a set, by its earliest member
  for i, field in ipairs(fields) do
    local first = i
    while lead[first] ~= first do first = lead[first] end
    if field.direction and not group_of[first] then
      count = count + 1
      group_of[first] = count
    end
    field.group = field.direction and group_of[first]
  end
end

local function set_of(list)
  local set = {}
  for _, value in ipairs(list) do set[value] = true end
  return set
end

local function union(a, b)
  local all, has = table.move(a, 1, #a, 1, {}), set_of(a)
  for _, value in ipairs(b) do if not has[value] then all[#all + 1] = value end end
  return all
end

local function intersection(a, b)
  local both, has = {}, set_of(b)
  for _, value in ipairs(a) do if has[value] then both[#both + 1] = value end end
  return both
end

-- Adds an entry of the catalogue's levels to the table of its level. A level may have several entries, each for some
-- values of an attribute: then the table has the types and counts of all of them.
local function add_level(level, fields, entry)
  for _, field in ipairs(fields) do
    local row, old = field.direction and row_of(field, entry), level.rows[field.name]
    if row then
      local low, high = row[2], row[3] or row[2]
      level.rows[field.name] = old and { types = union(old.types, row[1]), math.min(old[1], low),
        math.max(old[2], high) }
        or { types = row[1], low, high }
    end
  end
end

-- Returns the values for which an entry holds, as a key.
local function key_of(entry)
  local field, values = next(entry.where or {})
  return field and field .. ": " .. table.concat(values, " ") or ""
end

-- Adds the entries that the level does not replace: those for other values of an attribute.
local function add_standing(level, fields, standing, own)
  local replaced = {}
  for _, entry in ipairs(own) do replaced[key_of(entry)] = true end
  for _, entry in ipairs(replaced[""] and {} or standing) do
    if not replaced[key_of(entry)] then
      add_level(level, fields, entry)
      own[#own + 1] = entry
    end
  end
  return own
end

-- Returns the tables of the levels, with the types of each group. `own` has the spec's pages and rulings for them.
local function make_levels(op, fields, own, page, wrong)
  local levels, made, entries = {}, {}, {}
  for _, entry in ipairs(op.levels) do
    local name = entry[1]
    if not made[name] then
      made[name] = { name = name, page = page, rows = {}, types = {} }
      levels[#levels + 1] = made[name]
      entries[name] = {}
    end
    add_level(made[name], fields, entry)
    table.insert(entries[name], entry)
  end
  local standing = {}
  for _, level in ipairs(levels) do standing = add_standing(level, fields, standing, entries[level.name]) end
  for _, level in ipairs(levels) do
    for _, field in ipairs(fields) do
      if field.direction then
        local types = level.types[field.group]
        level.types[field.group] = types and intersection(types, level.rows[field.name].types)
          or level.rows[field.name].types
      end
    end
  end
  for name, says in pairs(own) do
    if not made[name] then wrong(("levels: the catalogue has no table of level %s"):format(tostring(name))) end
    if type(says) ~= "table" then wrong(("levels: %s: expected a table"):format(name)) end
    for key in pairs(says) do
      if key ~= "page" and key ~= "ruling" then
        wrong(("levels: %s: '%s' is neither page nor ruling"):format(name, tostring(key)))
      end
    end
    made[name].page, made[name].ruling = says.page or page, says.ruling
  end
  return levels
end

-- Sets `fields`, `levels`, `groups` and `since` of a spec.
local function complete(op, body, wrong)
  local fields = {}
  for i, field in ipairs(op.fields) do
    fields[i] = { name = field[2], like = field.like, direction = directions[field[1]], optional = field.optional,
      array = directions[field[1]] and string.find(field[1], "s$") and true }
  end
  make_groups(op, fields)
  body.levels = make_levels(op, fields, body.levels or {}, page_of(op, body), wrong)
  for _, name in ipairs(body.groups or {}) do if type(name) ~= "string" then wrong "groups: expected names" end end
  local names = body.groups or {}
  body.groups = {}
  for _, field in ipairs(fields) do
    if field.direction and not body.groups[field.group] then
      body.groups[field.group] = names[field.group] or field.name
    end
  end
  if #names > #body.groups then wrong(("groups: the catalogue makes only %d"):format(#body.groups)) end
  body.fields, body.since = fields, op.since
end

local function numbers_of(types)
  local numbers = {}
  for i, type in ipairs(types) do numbers[i] = type_numbers[type] end
  return numbers
end
tools.type_numbers = numbers_of

-- Adds rules about data types that no table lists, but that a device may accept: `beyond` in the catalogue. Sets
-- `beyond`, for the C side: the table rule leaves these types to them.
local function add_beyond(op, body)
  body.beyond = {}
  for i, entry in ipairs(op.beyond or {}) do
    if entry.types then -- no operator with a spec has DimensionCounts that no table lists
      body.beyond[#body.beyond + 1] = entry
      local open = entry[1] == "open" or entry.accept -- an expected acceptance is not judged
      local parts = { strength = open and "open" or entry[1], from = entry.from, before = entry.before,
        page = "DML_" .. op.name, ruling = open and "B20" or "B19" }
      local listed = op.levels[1]
      for at = 2, #entry do
        local type = words.data_type(entry[at])
        for _, field in ipairs(op.fields) do
          if field[2] == entry[at] then listed = row_of({ name = field[2], like = field.like }, op.levels[1])[1] end
        end
        parts[at - 1] = words.when(words.one_of(type, numbers_of(entry.types)),
          words.one_of(type, numbers_of { listed[1] }))
        parts[at - 1].text = ("%s must not be %s, which no table lists"):format(type.text,
          table.concat(entry.types, " or "))
      end
      body.rules[#body.rules + 1] = words.rule(i == 1 and "unlisted-types" or "unlisted-types-" .. i) (parts)
    end
  end
end

-- Makes one flat list of rules or situations, which may contain lists of them (from words for families).
local function all_of_kind(kind, list, wrong)
  local found = {}
  for _, one in ipairs(list) do
    if type(one) ~= "table" or one.kind and one.kind ~= kind or not one.kind and #one == 0 and kind == "rule" then
      wrong(("%ss must be made by %s"):format(kind, kind))
    end
    for _, part in ipairs(one.kind and { one } or all_of_kind(kind, one, wrong)) do found[#found + 1] = part end
  end
  return found
end

local function names_of(constants_of)
  local names = {}
  for name, value in pairs(constants_of or {}) do names[tostring(value)] = name end
  return names
end

-- Makes of "Function must be 0 or 1" the text "Function must be ARGMAX or ARGMIN", if `subject`, a pattern, is an
-- enumeration with these constants.
local function with_names(text, subject, names)
  for _, verb in ipairs { " is ", " must be " } do
    text = string.gsub(text, "(%f[%w]" .. subject .. verb .. ")(%d[%dor ]*)", function(before, numbers)
      return before .. string.gsub(numbers, "%d+", names)
    end)
  end
  return text
end

-- Makes a text about the fields of an operator say the names of constants, and "T is given" of a number that is 1 or 0.
local function readable(text, op)
  text = with_names(text, "[%w%[%]]+%.DataType", names_of(constants.DML_TENSOR_DATA_TYPE))
  for _, field in ipairs(op.fields) do
    if field[1] == "enum" then text = with_names(text, field[2], names_of(constants[field.type])) end
  end
  for said, plain in pairs { ["is 1"] = "is given", ["must be 1"] = "must be given", ["is 0"] = "is null",
    ["must be 0"] = "must be null" } do
    text = string.gsub(text, "%(1: given%) " .. said .. "%f[%D]", plain)
  end
  return text
end

-- Structs of one's own. The C side checks names, number, kinds of members and levels; these functions check the rest.

local field_keys = set_of { 1, 2, "optional", "like", "count", "typed_by", "type" }

-- Returns the tensors of a struct by name, and its enumerations by the name of the field.
local function own_members(body, wrong)
  local tensors, enums = {}, {}
  for i, field in ipairs(body.fields) do
    if type(field) ~= "table" or type(field[1]) ~= "string" or type(field[2]) ~= "string" then
      wrong(("fields: entry %d: expected { \"kind\", \"name\" }"):format(i))
    end
    for key in pairs(field) do
      if not field_keys[key] then wrong(("fields: %s: unknown key '%s'"):format(field[2], tostring(key))) end
    end
    if directions[field[1]] then tensors[field[2]] = field elseif field.type then enums[field[2]] = field end
  end
  for name, field in pairs(tensors) do
    local like = field.like and tensors[field.like]
    if field.like and (not like or like.like) then
      wrong(("fields: %s: like: expected a tensor that is not like another one"):format(name))
    end
  end
  return tensors, enums
end

-- Checks `where`: values of one enumeration.
local function check_where(where, enums, wrong)
  local field, values = next(where)
  local known = enums[field] and constants[enums[field].type] or {}
  local good = type(values) == "table" and #values > 0 and not next(where, field)
  for _, value in ipairs(good and values or {}) do good = good and known[value] ~= nil end
  if not good then wrong "where: expected { ENUM = { \"CONSTANT\", … } }, an enumeration of the struct" end
end

local function check_level(level, tensors, enums, wrong)
  for name, field in pairs(tensors) do
    local row = level[name]
    local good = type(row) == "table" and type(row[1]) == "table" and #row[1] > 0 and math.type(row[2]) == "integer" and
      (row[3] == nil or math.type(row[3]) == "integer") and #row <= 3
    for _, type in ipairs(good and row[1] or {}) do good = good and type_numbers[type] ~= nil end
    if not field.like and not good then
      wrong(("levels: %s: %s: expected { { \"FLOAT32\", … }, lowest count, highest count }"):format(level[1], name))
    end
  end
  for key in pairs(level) do
    if key ~= 1 and key ~= "where" and (not tensors[key] or tensors[key].like) then
      wrong(("levels: %s: '%s' is no tensor without like"):format(level[1], tostring(key)))
    end
  end
  if level.where then check_where(level.where, enums, wrong) end
end

local properties = set_of { "DataType", "DimensionCount", "Sizes" }

local function check_relation(relation, tensors, enums, wrong)
  local good = type(relation) == "table" and type(relation[1]) == "string" and #relation >= 3
  for name in string.gmatch(good and relation[1] or "", "[^+]+") do good = good and properties[name] end
  for i = 2, good and #relation or 0 do good = good and tensors[relation[i]] end
  if not good then wrong "same: expected { \"DataType+DimensionCount+Sizes\", TENSOR, TENSOR, … }" end
  for key in pairs(relation) do
    if type(key) == "string" and key ~= "strength" and key ~= "before" and key ~= "where" then
      wrong(("same: unknown key '%s'"):format(key))
    end
  end
  if relation.where then check_where(relation.where, enums, wrong) end
end

local make_struct = keyed("struct", "number fields levels same in_place enums")

-- Returns a list of the struct, which it may lack.
local function list_in(body, key, wrong)
  if body[key] == nil then return {} end
  if type(body[key]) ~= "table" then wrong(key .. ": expected a table") end
  return body[key]
end

-- `struct "NAME" { number =, fields =, levels =, … }`: the struct of an operator that DirectML does not have.
function words.struct(name)
  local line, where = line_of_caller()
  local make = make_struct(name, line, where)
  local function wrong(text) error(("%sstruct \"%s\": %s"):format(where, name, text), 0) end
  return function(body)
    make(body)
    body.name, body.own = name, true
    body.fields, body.same = list_in(body, "fields", wrong), list_in(body, "same", wrong)
    body.levels, body.enums = list_in(body, "levels", wrong), list_in(body, "enums", wrong)
    for enum, list in pairs(body.enums) do
      if type(enum) ~= "string" or type(list) ~= "table" then
        wrong "enums: expected NAME = { { \"CONSTANT\", value }, … }"
      end
    end
    local tensors, enums = own_members(body, wrong)
    local problem = add_struct(body, (string.gsub(where, ": $", "")))
    if problem then error(problem, 0) end
    add_constants(body.enums)
    body.ordinal, body.since = body.number, body.levels[1][1]
    for _, level in ipairs(body.levels) do check_level(level, tensors, enums, wrong) end
    for _, relation in ipairs(body.same) do check_relation(relation, tensors, enums, wrong) end
    catalogue[name] = body
  end
end

local make_operator = keyed("operator", "page introduced sentences levels groups rules behaviours indices grids rows selection " ..
  "parameters examples sparse slice stages results domains meaning situations")

function words.operator(name)
  local line, where = line_of_caller()
  local make = make_operator(name, line, where)
  local function wrong(text) error(("%soperator \"%s\": %s"):format(where, name, text), 0) end
  tools.operator, tools.line, tools.where = catalogue[name], line, where
  return function(body)
    make(body)
    if not catalogue[name] then
      wrong(("'%s' is not in the catalogue; one of your own needs a struct \"%s\" { … } before it"):format(name, name))
    end
    for _, key in ipairs { "rules", "parameters" } do
      if type(body[key]) ~= "table" then wrong(("expected a table '%s'"):format(key)) end
    end
    if body.levels and type(body.levels) ~= "table" then wrong "levels: expected a table" end
    complete(catalogue[name], body, wrong)
    body.rules = all_of_kind("rule", body.rules, wrong)
    body.situations = all_of_kind("situation", body.situations or {}, wrong)
    for _, one in ipairs(body.situations) do flatten(one) end
    add_beyond(catalogue[name], body)
    for _, rule in ipairs(body.rules) do
      flatten(rule)
      for _, part in ipairs(rule.atoms) do part.text = readable(part.text, catalogue[name]) end
      rule.text = readable(rule.text, catalogue[name])
    end
    add_general(catalogue[name], body)
    tools.operator = nil -- a word that follows must not mean this operator
    return body
  end
end

-- Returns the operator that `constructor` makes of its name and the other arguments. If the loader needs only another
-- operator of the file, the constructor is not called.
local only = debug.getregistry()["assay.only"]
function words.define(name, constructor, ...)
  expect(name, "string", "define")
  expect(constructor, "function", "define")
  if only and name ~= only then return { kind = "operator", id = name, line = 1 } end
  return constructor(name, ...)
end

return words, tools
