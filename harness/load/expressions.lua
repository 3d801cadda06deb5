-- Expressions and conditions: the words of a spec that rules consist of. This file runs once per Lua state, before
-- prelude.lua, with all libraries. It returns the words, and tools for prelude.lua. specs/README.md explains the words.

local words, tools = {}, {}

local function expect(value, kinds, what)
  local kind = type(value)
  for wanted in string.gmatch(kinds, "%a+") do if kind == wanted then return value end end
  error(("%s: expected %s, got %s"):format(what, (string.gsub(kinds, " ", " or ")), kind), 3)
end
tools.expect = expect

-- Expressions are trees that the C side compiles. `text` is for messages and reports. `rank` is the precedence of the
-- text: 1 for a sum, 2 for a product, nil for one word.

-- A script can reach no metatable: no value has an __index that leads to one. A script that set a __gc in one could run
-- code outside of every limit.
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

local function either(value, what)
  if is_expression(value) and value.list then return value end
  return number(value, what)
end

-- A node of two operands. If either is a list, the node works entry by entry.
local function pair(op, text, a, b, rank)
  local of_lists = a.list or b.list
  return node(of_lists and op .. "_each" or op, text, { a = a, b = b, list = of_lists or nil, rank = rank })
end

local function bracketed(operand, least)
  return operand.rank and operand.rank < least and "(" .. operand.text .. ")" or operand.text
end

local function arithmetic(op, sign, rank)
  return function(a, b)
    a, b = either(a, sign), either(b, sign)
    if b.op == "const" and b.value == 0 and rank == 1 then return a end
    if a.op == "const" and b.op == "const" then
      return number(op == "add" and a.value + b.value or op == "sub" and a.value - b.value or a.value * b.value, sign)
    end
    if op == "sub" and b.op == "const" and a.op == "add" and a.b.op == "const" then
      return a.a + (a.b.value - b.value)
    end
    local text = ("%s %s %s"):format(bracketed(a, rank), sign, bracketed(b, op == "add" and 1 or rank + 1))
    return pair(op, text, a, b, rank)
  end
end
expression.__add = arithmetic("add", "+", 1)
expression.__sub = arithmetic("sub", "-", 1)
expression.__mul = arithmetic("mul", "*", 2)

local function of_two(op, form, what)
  return function(a, b)
    a, b = either(a, what), either(b, what)
    return pair(op, form:format(a.text, b.text), a, b)
  end
end
expression.__idiv = function(a, b)
  a, b = either(a, "//"), either(b, "//")
  return pair("div", ("floor(%s / %s)"):format(bracketed(a, 2), bracketed(b, 3)), a, b)
end
expression.__mod = function(a, b)
  a, b = either(a, "%"), either(b, "%")
  return pair("mod", ("%s mod %s"):format(bracketed(a, 2), bracketed(b, 3)), a, b, 2)
end

function words.ceil_div(a, b)
  a, b = either(a, "ceil_div"), either(b, "ceil_div")
  return pair("div_up", ("ceil(%s / %s)"):format(bracketed(a, 2), bracketed(b, 3)), a, b)
end
words.least = of_two("min", "least(%s, %s)", "least")
words.greatest = of_two("max", "greatest(%s, %s)", "greatest")
words.is = of_two("is", "(1 if %s is %s, else 0)", "is")

function words.abs(x)
  x = either(x, "abs")
  return node(x.list and "abs_each" or "abs", "|" .. x.text .. "|", { a = x, list = x.list })
end

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

words.operator_type = tensor_property("operator_type", "the Type of T")

-- 1 if member `index` of a nested operator description, a pointer, is given, else 0.
function words.member_given(name, index)
  expect(name, "string", "member_given")
  index = number(index, "member_given")
  return node("member_given", ("member %s of %s (1: given)"):format(index.text, name), { field = name, a = index })
end

-- 1 if the Desc of a nested operator description is given; and its member `index`, a FLOAT.
words.has_desc = tensor_property("has_desc", "the Desc of T (1: given)")

function words.member_float(name, index)
  expect(name, "string", "member_float")
  expect(index, "number", "member_float")
  return node("member_float", ("member %d of %s"):format(index, name), { field = name, value = index })
end

-- An array, such as Strides. The words for limits also compare arrays of FLOATs.
function words.list(name)
  expect(name, "string", "list")
  return node("entries", name, { field = name, list = true })
end

function words.sizes(tensor)
  expect(tensor, "string", "sizes")
  return node("sizes", tensor .. ".Sizes", { field = tensor, list = true })
end

local function of_list(op, form)
  return function(what)
    what = list(what, op)
    return node(op, form:format(what.text), { a = what })
  end
end
words.sum = of_list("sum", "the sum of %s")
words.product = of_list("product", "the product of %s")

-- The number of entries: the count of an array, the DimensionCount of sizes.
function words.length(what)
  what = list(what, "length")
  for _, member in ipairs(what.op == "entries" and tools.operator and tools.operator.fields or {}) do
    if member[2] == what.field and member.count then return words.attr(member.count) end
  end
  return what.op == "sizes" and words.dims(what.field)
    or node("length", ("the number of entries of %s"):format(what.text), { a = what })
end

function words.entry(of, index)
  of, index = list(of, "entry"), number(index, "entry")
  return node("entry", ("%s[%s]"):format(bracketed(of, 3), index.text), { a = of, b = index })
end

-- A number; another one if it is undefined, such as a size of a tensor that is absent.
function words.otherwise(a, b)
  a, b = number(a, "otherwise"), number(b, "otherwise")
  return node("otherwise", ("%s, if given, or else %s"):format(a.text, bracketed(b, 1)), { a = a, b = b, rank = 0 })
end

-- The list of numbers that `make(reference)` returns for every element of an array of tensors or operator descriptions.
function words.map(array, make)
  local one = number(make(expect(array, "string", "map") .. "[i]"), "map")
  return node("map", ("%s for every i"):format(one.text), { field = array, a = one, list = true })
end

function words.slice(from, first, past)
  from, first, past = list(from, "slice"), number(first, "slice"), number(past, "slice")
  return node("slice", ("%s[%s .. %s)"):format(bracketed(from, 3), first.text, past.text),
    { a = from, b = first, c = past, list = true })
end

-- The first, or the last, `count` entries.
function words.prefix(of, count)
  return words.slice(of, 0, count)
end

function words.suffix(of, count)
  local past = words.length(of)
  return words.slice(of, past - number(count, "suffix"), past)
end

-- The coordinates that a fold has: those of the output's element, and those of its loop over `sizes`.
function words.place(output)
  return node("place", "place", { field = expect(output, "string", "place"), list = true })
end

function words.step(of)
  return node("step", "step", { a = list(of, "step"), list = true })
end

-- A list that follows from place and step, divided by another list entry by entry. A step takes part in the fold only
-- if every entry divides exactly, with a quotient from 0 to below the entry of `past`.
function words.divided(what, by, past)
  what, by, past = list(what, "divided"), list(by, "divided"), list(past, "divided")
  return node("divided", "divided", { a = what, b = by, c = past, list = true })
end

-- The coordinates that a row of an input or of an earlier stage holds. `at` has the coordinates of the row, which follow
-- from place and step: the tensor has one dimension more. A step takes part in the fold only if there is such a row, and
-- if it holds whole numbers.
function words.gathered(tensor, at)
  tensor, at = expect(tensor, "string", "gathered"), list(at, "gathered")
  return node("gathered", "gathered", { field = tensor, a = at, list = true })
end

-- The growth of a place's row-major number along each dimension of these sizes.
function words.weights(of)
  of = list(of, "weights")
  return node("weights", ("the weights of %s"):format(bracketed(of, 3)), { a = of, list = true })
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

-- `index` may be a list of positions.
function words.replace(what, index, value)
  what, index, value = list(what, "replace"), either(index, "replace"), number(value, "replace")
  return node("replace", ("%s with [%s] = %s"):format(what.text, index.text, value.text),
    { a = what, b = index, c = value, list = true })
end

function words.filled(value, count)
  value, count = number(value, "filled"), number(count, "filled")
  return node("filled", ("%s times %s"):format(bracketed(count, 3), bracketed(value, 3)),
    { a = value, b = count, list = true })
end

-- Atoms are single conditions of a rule.

local atom = { __name = "atom" }

local function make_atom(kind, text, fields)
  fields.kind, fields.text = kind, text
  return setmetatable(fields, atom)
end

-- Limits of FLOATs: `least` and `most` are Lua floats; `above` and `below` exclude the limit itself.
local function real_limits(what, form, x, range)
  if not is_expression(x) or x.op ~= "attr" and x.op ~= "entries" and x.op ~= "member_float" then
    error(what .. ": only attributes can be compared with a number such as 1.0", 3)
  end
  local texts = { LOW = range.least and tostring(range.least), HIGH = range.most and tostring(range.most) }
  range.x = x
  return make_atom("reals", (x.list and "every entry of " or "") .. x.text .. string.gsub(form, "%u+", texts), range)
end

local function is_real(...)
  for _, value in pairs { ... } do if math.type(value) == "float" then return true end end
  return false
end

-- Limits of a number or of every entry of a list; limits of a list may be lists. `form` is the text after x.
local function limits(what, form, x, low, high)
  x = either(x, what)
  local limit = x.list and either or number
  low, high = low and limit(low, what), high and limit(high, what)
  local texts = { LOW = low and low.text, HIGH = high and high.text }
  local text = (x.list and "every entry of " or "") .. x.text .. string.gsub(form, "%u+", texts)
  return make_atom(x.list and "each" or "between", text, { x = x, low = low, high = high })
end

function words.between(x, low, high)
  local form = " must be from LOW to HIGH"
  if is_real(low, high) then return real_limits("between", form, x, { least = low, most = high }) end
  return limits("between", form, x, low, high)
end

function words.at_least(x, low)
  if is_real(low) then return real_limits("at_least", " must be at least LOW", x, { least = low }) end
  return limits("at_least", " must be at least LOW", x, low)
end

function words.at_most(x, high)
  if is_real(high) then return real_limits("at_most", " must be at most HIGH", x, { most = high }) end
  return limits("at_most", " must be at most HIGH", x, nil, high)
end

-- Above a limit. This word is only for FLOATs, since an integer above 0 is at least 1.
function words.above(x, low)
  return real_limits("above", " must be above LOW", x, { least = low, above = true })
end

function words.finite(x)
  return real_limits("finite", " must be finite", x, { least = -0x1.fffffep127, most = 0x1.fffffep127 })
end

function words.below(x, past)
  if is_real(past) then return real_limits("below", " must be below HIGH", x, { most = past, below = true }) end
  past = either(past, "below")
  local one = limits("below", " must be below ", x, 0, past - 1)
  one.text = one.text .. past.text
  return one
end

function words.equal(x, y)
  if is_expression(x) and x.list then
    y = list(y, "equal")
    return make_atom("equal", ("%s must be %s"):format(x.text, y.text), { x = x, low = y })
  end
  return limits("equal", " must be LOW", x, y, y)
end

function words.each(what, low, high)
  what, low, high = list(what, "each"), either(low, "each"), either(high, "each")
  return limits("each", low.text == high.text and " must be LOW" or " must be from LOW to HIGH", what, low, high)
end

function words.one_of(x, values)
  x = either(x, "one_of")
  expect(values, "table", "one_of")
  local names = {}
  for i, value in ipairs(values) do
    if math.type(value) ~= "integer" then error("one_of: expected integers", 2) end
    names[i] = tostring(value)
  end
  local form = x.list and "every entry of %s must be %s" or "%s must be %s"
  return make_atom("one_of", form:format(x.text, table.concat(names, " or ")), { x = x, set = values })
end

function words.zero_or_power_of_two(x, low)
  x, low = number(x, "zero_or_power_of_two"), number(low, "zero_or_power_of_two")
  return make_atom("one_of", ("%s must be 0 or a power of two of at least %s"):format(x.text, low.text),
    { x = x, set = { 0 }, low = low, powers = true })
end

-- The value, or every entry, occurs in a list.
function words.member(x, of)
  x, of = either(x, "member"), list(of, "member")
  local form = x.list and "every entry of %s must be one of %s" or "%s must be one of %s"
  return make_atom("member", form:format(x.text, of.text), { x = x, low = of })
end

function words.distinct(what)
  what = list(what, "distinct")
  return make_atom("distinct", ("no two entries of %s may be equal"):format(what.text), { x = what })
end

-- If one operand is a number and the other a list, the number belongs to every entry.
function words.divides(by, x)
  by, x = either(by, "divides"), either(x, "divides")
  local form = (x.list or by.list) and "every entry of %s must be a multiple of %s" or "%s must be a multiple of %s"
  return make_atom("divides", form:format(x.text, by.text), { x = x, low = by })
end

-- The first of two attributes, by name, is at most the second: FLOATs, or scalars of one data type, compared as
-- numbers.
function words.ordered(x, y)
  x, y = words.attr(x), words.attr(y)
  return make_atom("ordered", ("%s must be at most %s"):format(x.text, y.text), { x = x, low = y })
end

-- Each size of the first tensor (by name) or list is 1 or the size of the second.
function words.broadcasts(x, to)
  if type(x) == "string" and type(to) == "string" then
    return { words.equal(words.dims(x), words.dims(to)), words.broadcasts(words.sizes(x), words.sizes(to)) }
  end
  x, to = list(x, "broadcasts"), list(to, "broadcasts")
  return make_atom("broadcasts", ("every entry of %s must be 1 or the entry of %s"):format(x.text, to.text),
    { x = x, low = to })
end

-- Conditions that contain others.

local flags = { present = true, has_sizes = true, has_desc = true, member_given = true, is = true }

-- Makes one flat list of conditions, which may contain lists of them. A number that is 1 or 0 stands for the condition
-- that it is 1.
local function conditions(values, wrong)
  local found = {}
  for _, value in ipairs(values) do
    if is_expression(value) and flags[value.op] then value = words.equal(value, 1) end
    if getmetatable(value) == atom then
      found[#found + 1] = value
    elseif type(value) == "table" and not is_expression(value) and not value.kind then
      for _, one in ipairs(conditions(value, wrong)) do found[#found + 1] = one end
    else
      wrong("expected conditions, found " .. (is_expression(value) and value.text or "a " .. type(value)))
    end
  end
  return found
end
tools.conditions, tools.number = conditions, number

local function conditions_of(what, values)
  local found = conditions(values, function(text) error(what .. ": " .. text, 4) end)
  if #found == 0 then error(what .. ": expected a condition, such as at_most(…)", 3) end
  return found
end

local function copy_of(one)
  local fields = {}
  for key, value in pairs(one) do fields[key] = value end
  return fields
end

local function joined(kind, between, parts)
  if #parts == 1 then return parts[1] end
  local texts = {}
  for i, part in ipairs(parts) do texts[i] = part.text end
  return make_atom(kind, table.concat(texts, between), { parts = parts })
end

function words.all_of(...) return joined("all_of", " and ", conditions_of("all_of", { ... })) end

-- Each alternative is a condition or a list of conditions that must all hold.
function words.any_of(...)
  local parts = {}
  for i, alternative in ipairs { ... } do
    parts[i] = joined("all_of", " and ", conditions_of("any_of", { alternative }))
  end
  return joined("any_of", ", or ", #parts > 0 and parts or conditions_of("any_of", {}))
end

-- Converts "x must be 1" to the clause "x is 1".
local function as_clause(text)
  local differ, clause = "no two entries of (.-) may be equal", "all entries of %1 differ"
  return (string.gsub(string.gsub(text, " must be ", " is "), differ, clause))
end

-- Makes conditions apply only if another one holds, or only at some feature levels.
local function qualified(what, values, prefix, change)
  local found = {}
  for i, one in ipairs(conditions_of(what, values)) do
    local fields = copy_of(one)
    change(fields)
    found[i] = make_atom(one.kind, prefix .. one.text, fields)
  end
  return #found == 1 and found[1] or found
end

function words.when(condition, ...)
  local all = joined("all_of", " and ", conditions_of("when", { condition }))
  return qualified("when", { ... }, "if " .. as_clause(all.text) .. ", ", function(fields)
    fields.when = fields.when and joined("all_of", " and ", { all, fields.when }) or all
  end)
end

function words.from_level(level, ...)
  return qualified("from_level", { ... }, "from feature level " .. expect(level, "string", "from_level") .. " on, ",
    function(fields) fields.from = level end)
end

function words.before_level(level, ...)
  return qualified("before_level", { ... }, "before feature level " .. expect(level, "string", "before_level") .. ", ",
    function(fields) fields.before = level end)
end

function words.absent(name)
  local one = words.equal(words.present(name), 0)
  one.text = name .. " must be null"
  return one
end

-- `make(reference)` makes conditions for every element of an array of tensors or operator descriptions.
function words.every(array, make)
  local parts = conditions_of("every", { make(expect(array, "string", "every") .. "[i]") })
  local texts = {}
  for i, part in ipairs(parts) do texts[i] = part.text end
  return make_atom("every", table.concat(texts, " and ") .. ", for every i", { array = array .. "[i]", parts = parts })
end

-- Makes the conditions for a field of the struct with `make`, a function of a tensor's name and direction. An array
-- gets them for every element; a tensor that is optional, always or from some level on, only if it is given. `wrong`
-- gets a message about a mistake in them.
function tools.for_tensor(field, make, wrong)
  local function conditions_for(name)
    local found = {}
    for i, one in ipairs(conditions({ make(name, field.direction, field) }, wrong)) do
      local present = one.x and one.x.op == "present"
      if not field.optional then
        found[i] = one
      elseif not present then
        found[#found + 1] = words.when(words.present(name), one)
      elseif field.optional ~= true then
        found[#found + 1] = words.before_level(field.optional, one)
      end
    end
    return found
  end
  if not field.array then return conditions_for(field.name) end
  return #conditions_for(field.name .. "[i]") > 0 and words.every(field.name, conditions_for) or {}
end

local same_property = { DimensionCount = words.dims, DataType = words.data_type, Sizes = words.sizes }

function tools.has_property(relation, property)
  for one in string.gmatch(relation[1], "[^+]+") do if one == property then return true end end
  return false
end

-- Two tensors of the operator agree in a property, if they are given; in an array, every element agrees.
local function agreement(get, lead, other)
  local field, given = {}, {}
  for _, member in ipairs(tools.operator.fields) do field[member[2]] = member end
  for _, name in ipairs { lead, other } do
    if field[name].optional then given[#given + 1] = words.present(name) end
  end
  local function compare(name)
    local one = words.equal(get(name), get(lead))
    return #given > 0 and words.when(words.all_of(table.unpack(given)), one) or one
  end
  if string.find(field[other][1], "^%l+puts$") then return words.every(other, compare) end
  return compare(other)
end

-- Returns true if the operator may lack the tensor.
local function is_optional(name)
  for _, member in ipairs(tools.operator.fields) do
    if member[2] == name then return member.optional end
  end
end

-- Tensors share a property, if they are given: each later one must equal the first. Without tensors, the word means
-- those that the catalogue lists for the operator, tools.operator, with the relation's strength and levels; where only
-- some relations have a strength of their own, those without.
function words.same(property, lead, ...)
  local get = same_property[property]
  if not get then error("same: expected DimensionCount, DataType or Sizes, found " .. tostring(property), 2) end
  if not tools.operator then error("same: its operator is not known outside of operator \"NAME\" { … }", 2) end
  local atoms = {}
  if not lead then
    local function listed(relation) return tools.has_property(relation, property) and not relation.where end
    local plain = false
    for _, relation in ipairs(tools.operator.same or {}) do plain = plain or listed(relation) and not relation.strength end
    for _, relation in ipairs(tools.operator.same or {}) do
      if listed(relation) and not (plain and relation.strength) then
        for i = 3, #relation do atoms[#atoms + 1] = agreement(get, relation[2], relation[i]) end
        atoms.strength, atoms.before = relation.strength, relation.before
      end
    end
    if #atoms == 0 then error("same: the catalogue lists no tensors with the same " .. property, 2) end
    return atoms
  end
  for _, other in ipairs { ... } do
    local optional = is_optional(lead) or is_optional(other)
    atoms[#atoms + 1] = optional and agreement(get, lead, other) or words.equal(get(other), get(lead))
  end
  if #atoms == 0 then error("same: expected at least two tensors", 2) end
  return atoms
end

return words, tools
