-- The words that a spec file may use. This file runs once per Lua state, before any spec, with all libraries. The table that
-- it returns is what a spec sees besides the functions of the sandbox. specs/README.md explains the words.

local words = {}

-- The line that uses a word, and "file:line: " for messages. Level 2 is the word, level 3 its caller.
local function line_of_caller()
  local info = debug.getinfo(3, "Sl")
  if not info then return 1, "" end -- in a tail call
  return info.currentline, ("%s:%d: "):format(info.short_src, info.currentline)
end

local function expect(value, kinds, what)
  local kind = type(value)
  for wanted in string.gmatch(kinds, "%a+") do if kind == wanted then return value end end
  error(("%s: expected %s, got %s"):format(what, (string.gsub(kinds, " ", " or ")), kind), 3)
end

-- Expressions: trees that the C side compiles. `text` is for messages and reports.

-- A script can reach no metatable: no value has an __index that leads to one. With a __gc in one, code would run outside of
-- every limit.
local expression = { __name = "expression" }

local function node(op, text, fields)
  fields = fields or {}
  fields.op, fields.text = op, text
  return setmetatable(fields, expression)
end

local function is_expression(value) return getmetatable(value) == expression end

local function number(value, what)
  if is_expression(value) and not value.list then return value end
  if math.type(value) == "integer" then
    return setmetatable({ op = "const", value = value, text = tostring(value) }, expression)
  end
  error(what .. ": expected a number, found " .. (is_expression(value) and "a list" or type(value)), 3)
end

local function list(value, what)
  if is_expression(value) and value.list then return value end
  error(what .. ": expected a list, such as sizes \"InputTensor\"", 3)
end

local function arithmetic(op, sign)
  return function(a, b)
    a, b = number(a, sign), number(b, sign)
    if b.op == "const" and b.value == 0 and (op == "add" or op == "sub") then return a end
    if a.op == "const" and b.op == "const" then
      return number(op == "add" and a.value + b.value or op == "sub" and a.value - b.value or a.value * b.value, sign)
    end
    if op == "sub" and b.op == "const" and a.op == "add" and a.b.op == "const" then
      return a.a + (a.b.value - b.value)
    end
    local right = (b.op == "add" or b.op == "sub") and op ~= "add" and "(" .. b.text .. ")" or b.text
    return node(op, a.text .. " " .. sign .. " " .. right, { a = a, b = b })
  end
end
expression.__add = arithmetic("add", "+")
expression.__sub = arithmetic("sub", "-")
expression.__mul = arithmetic("mul", "*")

local function tensor_property(op, suffix)
  return function(tensor)
    expect(tensor, "string", op)
    return node(op, (string.gsub(suffix, "T", tensor, 1)), { field = tensor })
  end
end

words.dims = tensor_property("dims", "T.DimensionCount")
words.data_type = tensor_property("data_type", "T.DataType")
words.tensor_type = tensor_property("tensor_type", "the type of T")
words.flags = tensor_property("flags", "T.Flags")
words.alignment = tensor_property("alignment", "T.GuaranteedBaseOffsetAlignment")
words.total = tensor_property("total", "T.TotalTensorSizeInBytes")
words.present = tensor_property("present", "T (1: given)")
words.has_sizes = tensor_property("has_sizes", "T.Sizes (1: given)")
words.elements = tensor_property("elements", "the number of elements of T")
words.extent = tensor_property("extent", "the extent of T in memory, in elements")
words.implied = tensor_property("implied", "the bytes implied by the sizes and strides of T")
words.element_bytes = tensor_property("element_bytes", "the element size of T in bytes")
words.effective_rank = tensor_property("effective_rank", "the effective rank of T")
words.overlap = tensor_property("overlap", "elements of T that share memory (1: some do)")

function words.attr(name)
  expect(name, "string", "attr")
  return node("attr", name, { field = name })
end

function words.size(tensor, index)
  expect(tensor, "string", "size")
  index = number(index, "size")
  local text = index.text == "-1" and "the last size of " .. tensor or tensor .. ".Sizes[" .. index.text .. "]"
  return node("size", text, { field = tensor, a = index })
end

function words.sizes(tensor)
  expect(tensor, "string", "sizes")
  return node("sizes", tensor .. ".Sizes", { field = tensor, list = true })
end

function words.slice(from, first, past)
  from, first, past = list(from, "slice"), number(first, "slice"), number(past, "slice")
  return node("slice", ("%s[%s .. %s)"):format(from.text, first.text, past.text),
    { a = from, b = first, c = past, list = true })
end

-- Joins lists; a number counts as a list of one entry.
function words.concat(...)
  local joined
  for _, part in ipairs { ... } do
    if not (is_expression(part) and part.list) then
      part = number(part, "concat")
      part = node("list", part.text, { a = part, list = true })
    end
    joined = joined and node("concat", joined.text .. ", " .. part.text, { a = joined, b = part, list = true }) or part
  end
  return joined or error("concat: expected at least one list", 2)
end

function words.fit(what, length)
  what, length = list(what, "fit"), number(length, "fit")
  return node("fit", "{1…, " .. what.text .. "}", { a = what, b = length, list = true })
end

function words.replace(what, index, value)
  what, index, value = list(what, "replace"), number(index, "replace"), number(value, "replace")
  return node("replace", ("%s with [%s] = %s"):format(what.text, index.text, value.text),
    { a = what, b = index, c = value, list = true })
end

local function pick(op, name)
  return function(a, b)
    a, b = number(a, name), number(b, name)
    return node(op, ("%s(%s, %s)"):format(name, a.text, b.text), { a = a, b = b })
  end
end
words.least = pick("min", "least")
words.greatest = pick("max", "greatest")

-- Atoms: single conditions of a rule.

local atom = { __name = "atom" }

local function make_atom(kind, text, fields)
  fields.kind, fields.text = kind, text
  return setmetatable(fields, atom)
end

function words.between(x, low, high)
  x, low, high = number(x, "between"), number(low, "between"), number(high, "between")
  return make_atom("between", ("%s must be from %s to %s"):format(x.text, low.text, high.text),
    { x = x, low = low, high = high })
end

function words.at_least(x, low)
  x, low = number(x, "at_least"), number(low, "at_least")
  return make_atom("between", ("%s must be at least %s"):format(x.text, low.text), { x = x, low = low })
end

function words.at_most(x, high)
  x, high = number(x, "at_most"), number(high, "at_most")
  return make_atom("between", ("%s must be at most %s"):format(x.text, high.text), { x = x, high = high })
end

function words.below(x, past)
  x, past = number(x, "below"), number(past, "below")
  return make_atom("between", ("%s must be below %s"):format(x.text, past.text),
    { x = x, low = number(0, "below"), high = past - 1 })
end

function words.equal(x, y)
  if is_expression(x) and x.list then
    y = list(y, "equal")
    return make_atom("equal", ("%s must be %s"):format(x.text, y.text), { x = x, low = y })
  end
  x, y = number(x, "equal"), number(y, "equal")
  return make_atom("between", ("%s must be %s"):format(x.text, y.text), { x = x, low = y, high = y })
end

function words.each(what, low, high)
  what, low, high = list(what, "each"), number(low, "each"), number(high, "each")
  local text = low.text == high.text and ("every one of %s must be %s"):format(what.text, low.text)
    or ("every one of %s must be from %s to %s"):format(what.text, low.text, high.text)
  return make_atom("each", text, { x = what, low = low, high = high })
end

function words.one_of(x, values)
  x = number(x, "one_of")
  expect(values, "table", "one_of")
  local names = {}
  for i, value in ipairs(values) do
    if math.type(value) ~= "integer" then error("one_of: expected integers", 2) end
    names[i] = tostring(value)
  end
  return make_atom("one_of", ("%s must be %s"):format(x.text, table.concat(names, " or ")), { x = x, set = values })
end

function words.zero_or_power_of_two(x, low)
  x, low = number(x, "zero_or_power_of_two"), number(low, "zero_or_power_of_two")
  return make_atom("one_of", ("%s must be 0 or a power of two of at least %s"):format(x.text, low.text),
    { x = x, set = { 0 }, low = low, powers = true })
end

function words.when(condition, what)
  if getmetatable(condition) ~= atom or getmetatable(what) ~= atom then
    error("when: expected two conditions, such as at_most(…)", 2)
  end
  local fields = {}
  for key, value in pairs(what) do fields[key] = value end
  fields.when = condition
  return make_atom(what.kind, what.text, fields)
end

local same_property = { DimensionCount = words.dims, DataType = words.data_type, Sizes = words.sizes }

-- A property that several tensors share: each later one must equal the first.
function words.same(property, lead, ...)
  local get = same_property[property]
  if not get then error("same: expected DimensionCount, DataType or Sizes, found " .. tostring(property), 2) end
  local atoms = {}
  for _, other in ipairs { ... } do atoms[#atoms + 1] = words.equal(get(other), get(lead)) end
  if #atoms == 0 then error("same: expected at least two tensors", 2) end
  return atoms
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
words.behaviour = keyed("behaviour", "strength page ruling from before text shown_by untested accepts reports anywhere bounded " ..
  "when gives of")
words.index = keyed("index", "into tuple distinct along")
words.rows = keyed("rows", "count")
words.result = keyed("result", "FLOAT16 FLOAT32 FLOAT64 integers zeros bits overflow")
words.example = keyed("example", "*")

local function field(kind)
  return function(name, group)
    expect(name, "string", kind)
    expect(group, "string nil", kind .. " \"" .. name .. "\"")
    return { field_kind = kind, name = name, group = group, line = line_of_caller() }
  end
end
words.input = field "input"
words.output = field "output"
words.uint = field "uint"

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
        if member.field_kind ~= "uint" then copy[#copy + 1] = make(member.name, member.field_kind) end
      end
    end
    if #copy > 0 then body.rules[#body.rules + 1] = copy end
  end
end

-- Makes one flat list of the atoms of a rule, which may contain lists (from `same`), and the sentence that explains it.
local function flatten(rule)
  local atoms, texts = {}, {}
  for _, part in ipairs(rule) do
    local parts = getmetatable(part) == atom and { part } or part
    if type(parts) ~= "table" or parts.kind == "rule" then
      error(("%srule \"%s\": expected conditions, found a %s"):format(rule.where, rule.id, type(part)), 0)
    end
    for _, one in ipairs(parts) do
      if getmetatable(one) ~= atom then
        error(("%srule \"%s\": expected conditions"):format(rule.where, rule.id), 0)
      end
      atoms[#atoms + 1], texts[#texts + 1] = one, one.text
    end
  end
  rule.atoms = atoms
  rule.text = rule.text or table.concat(texts, "; ")
end

local make_operator = keyed("operator", "page since introduced sentences errata fields levels rules behaviours indices " ..
  "rows parameters examples sparse results meaning")

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
