-- The words that make formulas: the value of an output's element, the error that a device may make, and the elements
-- for which other values are right, too. The prelude offers them to specs. formula.h explains the operations,
-- specs/README.md the words.

local words, of_rules = {}, ... -- the words of formulas; the words of rules

local formula = {}
formula.__name = "formula"

local function is_formula(value) return getmetatable(value) == formula end

-- The precedence of a text: a sum must be in parentheses within a product.
local SUM <const>, PRODUCT <const>, ATOM <const> = 1, 2, 3

local function make(op, text, binds, fields)
  fields = fields or {}
  fields.op, fields.text, fields.binds = op, text, binds
  return setmetatable(fields, formula)
end

local function text_of(value)
  if value ~= value then return "NaN" end
  if value == math.huge or value == -math.huge then return value > 0 and "infinity" or "-infinity" end
  local short = ("%.9g"):format(value)
  return tonumber(short) == value and short or ("%.17g"):format(value)
end

-- Numbers and the prelude's `present` are operands, too.
local function operand(value, what)
  if is_formula(value) then return value end
  if type(value) == "number" then
    return make("const", text_of(value), value < 0 and SUM or ATOM, { value = value + 0.0 })
  end
  if type(value) == "table" and value.op == "present" then
    return make("present", value.field .. " is given", SUM, { field = value.field })
  end
  error(("%s: expected a number or a formula, got %s"):format(what, type(value)), 3)
end

local function within(value, binds)
  return value.binds < binds and "(" .. value.text .. ")" or value.text
end

local function infix(op, sign, binds)
  return function(a, b)
    a, b = operand(a, sign), operand(b, sign)
    local right = (sign == "-" or sign == "/") and binds + 1 or binds -- as in a - (b - c)
    return make(op, within(a, binds) .. " " .. sign .. " " .. within(b, right), binds, { a = a, b = b })
  end
end
formula.__add = infix("add", "+", SUM)
formula.__sub = infix("sub", "-", SUM)
formula.__mul = infix("mul", "*", PRODUCT)
formula.__div = infix("div", "/", PRODUCT)
formula.__band = infix("bit_and", "&", PRODUCT)
formula.__bor = infix("bit_or", "|", SUM)
formula.__bxor = infix("bit_xor", "~", SUM)
formula.__shl = infix("shift_left", "<<", PRODUCT)
formula.__shr = infix("shift_right", ">>", PRODUCT)

function formula.__bnot(a)
  a = operand(a, "~")
  return make("bit_xor", "~" .. within(a, ATOM), ATOM, { a = a, b = operand(-1, "~") })
end

function formula.__unm(a)
  a = operand(a, "-")
  return make("neg", "-" .. within(a, PRODUCT), SUM, { a = a })
end

-- Gives a formula a name that stands for it in the texts of others; `assay spec` prints the name and its formula once.
function words.named(a, name)
  a.name, a.text, a.binds = name, name, ATOM
  return a
end

-- Functions of one to three operands, written as in C.
local function functions(count, names)
  for name in string.gmatch(names, "%S+") do
    words[name] = function(...)
      local operands, texts = { ... }, {}
      if #operands ~= count then error(("%s: expected %d operands, got %d"):format(name, count, #operands), 2) end
      for i = 1, count do
        operands[i] = operand(operands[i], name)
        texts[i] = operands[i].text
      end
      return make(name, ("%s(%s)"):format(name, table.concat(texts, ", ")), ATOM,
        { a = operands[1], b = operands[2], c = operands[3] })
    end
  end
end
functions(1, "abs floor ceil trunc round_even round_away sqrt exp log sin cos tan asin acos atan sinh cosh tanh " ..
  "asinh acosh atanh erf expm1 log1p is_nan is_inf bit_count wrapped spacing")
functions(2, "min max pow atan2 within")

local function condition(name, op, sign, swapped)
  words[name] = function(a, b)
    a, b = operand(a, name), operand(b, name)
    local text = ("%s %s %s"):format(within(a, SUM), sign, within(b, SUM))
    return make(op, text, SUM, swapped and { a = b, b = a } or { a = a, b = b })
  end
end
condition("lt", "lt", "<")
condition("le", "le", "<=")
condition("gt", "lt", ">", true)
condition("ge", "le", ">=", true)
condition("eq", "eq", "=")
condition("ne", "ne", "!=")
condition("both", "both", "and")
condition("either", "either", "or")

function words.negated(a)
  a = operand(a, "negated")
  return make("negated", "not (" .. a.text .. ")", SUM, { a = a })
end

-- `choose(condition, a, b)`: a if the condition holds, otherwise b.
function words.choose(when, a, b)
  when, a, b = operand(when, "choose"), operand(a, "choose"), operand(b, "choose")
  return make("choose", ("%s if %s, otherwise %s"):format(within(a, SUM), when.text, within(b, SUM)), SUM - 1,
    { a = when, b = a, c = b })
end

-- The element of an input at the coordinates of the result: "T", or "T[0]" for an array. An input with fewer elements
-- along a dimension has one for each block. The element of an absent tensor is 0.
function words.element(tensor)
  if type(tensor) ~= "string" then error("element: expected the name of an input", 2) end
  return make("element", tensor, ATOM, { field = tensor })
end

local function of_field(op, what, form, binds)
  words[op] = function(field)
    if type(field) ~= "string" then error(("%s: expected the name of %s"):format(op, what), 2) end
    return make(op, form:format(field), binds or ATOM, { field = field })
  end
end

-- The element of another output, as the device wrote it; the least and the greatest element of a whole input.
of_field("output", "an output", "%s")
of_field("least_of", "an input", "least(%s)")
of_field("greatest_of", "an input", "greatest(%s)")

-- One ULP of a tensor's type around a number.
function words.spacing_of(tensor, a)
  if type(tensor) ~= "string" then error("spacing_of: expected the name of a tensor", 2) end
  a = operand(a, "spacing_of")
  return make("spacing_of", ("ULP of %s(%s)"):format(tensor, a.text), ATOM, { field = tensor, a = a })
end

-- A FLOAT of the fused activation that the result is about. The operator may have an attribute of the same name.
of_field("member", "an attribute", "FusedActivation.%s")

-- The row-major number of the element in the output.
words.number = make("number", "number", ATOM)

-- The coordinate of the element in a dimension; -1 is the last one.
function words.coordinate(n)
  if math.type(n) ~= "integer" or n >= 0 or n < -8 then error("coordinate: expected an integer from -8 to -1", 2) end
  return make("coordinate", ("coordinate(%d)"):format(n), ATOM, { value = -n + 0.0 })
end

-- The value of an attribute, and its value in the type of the output: an integer type truncates and saturates. (The
-- prelude's `attr` is for rules.)
of_field("attribute", "an attribute", "%s")
of_field("cast", "an attribute", "%s")

-- The value of an attribute without its fraction, and rounded down. In integers, a NaN is undefined.
of_field("truncated", "an attribute", "trunc(%s)")
of_field("floored", "an attribute", "floor(%s)")

-- The bias of an attribute that is a DML_SCALE_BIAS; `attribute` gives its scale.
of_field("bias", "a DML_SCALE_BIAS", "%s.Bias")

-- Entry `index`, a formula, of an array of FLOATs; NaN if there is none.
function words.entry(field, index)
  if type(field) ~= "string" then error("entry: expected a list, or the name of an array of FLOATs", 2) end
  index = operand(index, "entry")
  return make("entry", ("%s[%s]"):format(field, index.text), ATOM, { field = field, a = index })
end

-- type_of() is the Type of description `index`, a formula, in an array of operator descriptions; member_of() is a FLOAT
-- of it, if it describes `activation`. Both are NaN if there is none.
function words.type_of(field, index)
  if type(field) ~= "string" then error("type_of: expected the name of an array of operator descriptions", 2) end
  index = operand(index, "type_of")
  return make("nested", ("%s[%s].Type"):format(field, index.text), ATOM, { field = field, a = index })
end
function words.member_of(field, index, activation, member)
  if type(field) ~= "string" then error("member_of: expected the name of an array of operator descriptions", 2) end
  index = operand(index, "member_of")
  return make("nested", ("%s[%s].%s"):format(field, index.text, member), ATOM,
    { field = field, a = index, activation = activation, member = member })
end

-- 1 if a tensor has a floating-point type, else 0.
of_field("is_float", "a tensor", "%s is floating-point", SUM)

words.nan, words.inf = 0 / 0, 1 / 0

-- Formulas of tolerances may also name the exact result y and the unit roundoff u.
words.y = make("result", "y", ATOM)
words.u = make("roundoff", "u", ATOM)
words.largest = make("largest", "the largest number", ATOM)
words.lowest = make("lowest", "the lowest number", ATOM)
words.smallest_normal = make("smallest_normal", "the smallest normal number", ATOM)

-- n units in the last place of the result.
function words.ulp(n)
  local count = operand(n, "ulp")
  return make("mul", count.text .. " ULP", PRODUCT, { a = count, b = words.spacing(words.y) })
end

-- A condition that the output's type can hold a number; and the nearest number that it can hold.
function words.fits(a)
  local largest = words.largest
  -- In FLOAT64, the largest number of 64 bits is the power of two after it, which does not fit.
  local rounded = words.both(words.eq(a, largest), words.either(words.eq(largest, 0x1p63), words.eq(largest, 0x1p64)))
  return words.both(words.ge(a, words.lowest), words.both(words.le(a, largest), words.negated(rounded)))
end

function words.saturate(a)
  return words.min(words.max(a, words.lowest), words.largest)
end

-- In an outcome, a formula that depends on the fused activation of the result: `formulas` has one for each name of an
-- activation, and `plain` is that of a result without one.
function words.by_activation(plain, formulas)
  local fields = { formulas = {} }
  for name, one in pairs(formulas) do fields.formulas[name] = operand(one, "by_activation") end
  fields.formulas[""] = operand(plain, "by_activation")
  return make("by_activation", ("activation(%s)"):format(fields.formulas[""].text), ATOM, fields)
end

-- Term number n, from 0 on, which the oracle gives beside the result.
function words.term(n)
  if math.type(n) ~= "integer" then error("term: expected an integer", 2) end
  return make("term", "term " .. n, ATOM, { value = n + 0.0 })
end

-- A fold: `over { sizes = LIST, at = { INPUT = LIST, … }, fold = "sum", FORMULA }` is the sum, over all steps of a loop
-- through `sizes`, of the formula with the inputs' elements at these coordinates; result.h lists the kinds of folds. A
-- step with an element outside of its input does not count. `last`: if it is not 0, the last of equal elements counts.
local parts = { "count", "magnitude", "peak", "dip", "nans", "zeros", "infinities", "first_nan", "last_nan", "own",
  "steps" }
local fold_words = { sum = "the sum of %s", product = "the product of %s", min = "the least of %s",
  max = "the greatest of %s", place_of_min = "the place of the least of %s",
  place_of_max = "the place of the greatest of %s" }

function words.over(fold)
  local names, known = "sizes at fold last signed_zeros", { [1] = true }
  for name in string.gmatch(names, "%S+") do known[name] = true end
  for key in pairs(fold) do
    if not known[key] then error(("over: unknown key '%s'; known: 1 %s"):format(tostring(key), names), 2) end
  end
  local value = operand(fold[1], "over")
  fold[1] = value
  return make("fold", (fold_words[fold.fold] or "%s"):format(within(value, ATOM)), ATOM, { fold = fold, value = 0.0 })
end

-- A part of a fold besides its value: formula.h lists the parts.
function words.part(fold, name)
  for i, part in ipairs(parts) do
    if part == name then
      return make("fold", ("%s of %s"):format(name, fold.text), ATOM, { fold = fold.fold, value = i + 0.0 })
    end
  end
  error(("part: a fold has no '%s'"):format(name), 2)
end

-- In the formula of a fold: another fold, or a part of one, at another place of the output. `at` gives that place, a
-- list that follows from place and step. The other fold must follow from its inputs and such folds alone. A step that
-- leads to no place does not take part.
function words.elsewhere(fold, at)
  if not is_formula(fold) or fold.op ~= "fold" then error("elsewhere: expected a fold", 2) end
  return make("elsewhere", fold.text .. " elsewhere", ATOM, { fold = fold.fold, value = fold.value, at = at })
end

-- A condition that some order of the elements would round, in a format with so many bits of precision.
function words.inexact(fold, bits)
  local a = operand(bits, "inexact")
  return make("inexact", ("%s rounds in %s bits"):format(fold.text, a.text), SUM, { fold = fold.fold, a = a })
end

-- Some words, such as `abs`, are words of rules, too: they mean that word if their operand is one of rules.
for name, of_formulas in pairs(words) do
  local of_rule = of_rules[name]
  if of_rule then
    words[name] = function(a, ...)
      local make_one = type(a) == "table" and not is_formula(a) and of_rule or of_formulas
      return make_one(a, ...)
    end
  end
end

return words
