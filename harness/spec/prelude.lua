-- The words that a spec file may use. This file runs once per Lua state, before any spec, with all libraries. The table that
-- it returns is what a spec sees besides the functions of the sandbox. specs/README.md explains the words.

local words, tools = ... -- of expressions.lua
local expect = tools.expect

-- The line that uses a word, and "file:line: " for messages. Level 2 is the word, level 3 its caller.
local function line_of_caller()
  local info = debug.getinfo(3, "Sl")
  if not info then return 1, "" end -- in a tail call
  return info.currentline, ("%s:%d: "):format(info.short_src, info.currentline)
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
words.behaviour = keyed("behaviour", "strength page ruling from before text shown_by untested accepts reports anywhere bounded")
words.index = keyed("index", "into tuple distinct along")
words.rows = keyed("rows", "count")
words.example = keyed("example", "*")

local function field(kind)
  return function(name, group, more)
    expect(name, "string", kind)
    expect(group, "string nil", kind .. " \"" .. name .. "\"")
    more = more or {}
    return { field_kind = kind, name = name, group = group, count = more.count, optional = more.optional,
      line = line_of_caller() }
  end
end
words.input = field "input"
words.output = field "output"
words.uint = field "uint"
for _, kind in ipairs { "inputs", "outputs", "int", "float", "bool", "enum", "uints", "ints", "floats", "size_2d", "operator",
  "operators" } do words[kind] = field(kind) end

words.types = {
  index = { "INT64", "INT32", "UINT64", "UINT32" },
  float32 = { "FLOAT32", "FLOAT16" },
  data32 = { "FLOAT32", "FLOAT16", "INT32", "INT16", "INT8", "UINT32", "UINT16", "UINT8" },
  data64 = {
    "FLOAT64", "FLOAT32", "FLOAT16", "INT64", "INT32", "INT16", "INT8", "UINT64", "UINT32", "UINT16", "UINT8",
  },
}

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

-- The position that an index names; negative ones count from the end. nil: out of range.
function words.wrap(index, size)
  if index < 0 then index = index + size end
  return index >= 0 and index < size and index or nil
end

-- The same, but an index out of range names the nearest position in range (A22).
function words.nearest(index, size)
  return words.wrap(index, size) or (index < 0 and 0 or size - 1)
end

-- The rulings: `rulings { { "A1", "in one line", unused = "why nothing refers to it" }, … }` in specs/rulings.lua.
function words.rulings(list_of_rulings)
  expect(list_of_rulings, "table", "rulings")
  return { kind = "rulings", list = list_of_rulings }
end

-- `tensor_rules { … }` in specs/tensor.lua: rules for every tensor, in which a function of (name of the field, "input" or
-- "output") makes the atoms for each tensor field, and behaviours of every operator.
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

local function expand_general(body)
  body.behaviours = body.behaviours or {}
  for _, rule in ipairs(general or {}) do
    local copy = {}
    for key, value in pairs(rule) do if type(key) == "string" then copy[key] = value end end
    if rule.kind == "behaviour" then body.behaviours[#body.behaviours + 1] = copy end
    for _, make in ipairs(rule) do
      for _, member in ipairs(body.fields) do
        if member.group then copy[#copy + 1] = tools.for_tensor(member, make) end
      end
    end
    if #copy > 0 then body.rules[#body.rules + 1] = copy end
  end
end

-- Makes one flat list of the conditions of a rule, which may contain lists (from `same`), and the sentence that explains
-- it.
local function flatten(rule)
  local function wrong(text) error(("%srule \"%s\": %s"):format(rule.where, rule.id, text), 0) end
  local texts = {}
  rule.atoms = tools.conditions(rule, wrong)
  for i, one in ipairs(rule.atoms) do texts[i] = one.text end
  rule.text = rule.text or table.concat(texts, "; ")
end

local make_operator = keyed("operator", "page since introduced sentences errata fields levels rules behaviours indices " ..
  "rows parameters examples sparse meaning")

function words.operator(name)
  local line, where = line_of_caller()
  local make = make_operator(name, line, where)
  local function wrong(text) error(("%soperator \"%s\": %s"):format(where, name, text), 0) end
  return function(body)
    make(body)
    for _, key in ipairs { "fields", "levels", "rules", "parameters" } do
      if type(body[key]) ~= "table" then wrong(("expected a table '%s'"):format(key)) end
    end
    for _, member in ipairs(body.fields) do
      if type(member) ~= "table" or not member.field_kind then
        wrong "fields must be made by input, output or uint"
      end
    end
    expand_general(body)
    for _, rule in ipairs(body.rules) do
      if type(rule) ~= "table" or rule.kind ~= "rule" then
        wrong "rules must be made by rule"
      end
      flatten(rule)
    end
    return body
  end
end

return words
