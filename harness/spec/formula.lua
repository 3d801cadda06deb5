-- The words that make formulas: what an element of an output is, how far a device may miss it, and where other values are
-- right, too. The prelude offers them to specs. formula.h explains the operations, specs/README.md the words.

local words, of_rules = {}, ... -- those of formulas; those of rules

local formula = {}
formula.__name = "formula"

local function is_formula(value) return getmetatable(value) == formula end

-- How tightly a text binds: a sum must be in parentheses within a product.
local SUM <const>, PRODUCT <const>, ATOM <const> = 1, 2, 3

local function make(op, text, binds, fields)
  fields = fields or {}
  fields.op, fields.text, fields.binds = op, text, binds
  return setmetatable(fields, formula)
end

-- Numbers and the prelude's `present` are operands, too.
local function operand(value, what)
  if is_formula(value) then return value end
  if type(value) == "number" then
    local text = ("%.17g"):format(value)
    if tonumber(("%.9g"):format(value)) == value then text = ("%.9g"):format(value) end
    return make("const", text, value < 0 and SUM or ATOM, { value = value + 0.0 })
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
    local right = (sign == "-" or sign == "/") and binds + 1 or binds -- a - (b - c)
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

function formula.__unm(a)
  a = operand(a, "-")
  return make("neg", "-" .. within(a, PRODUCT), SUM, { a = a })
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
functions(1, "abs floor ceil trunc round_even round_away sqrt exp log sin cos tan asin acos atan sinh cosh tanh asinh " ..
  "acosh atanh erf expm1 log1p is_nan is_inf bit_count spacing")
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

-- `choose(condition, a, b)`: a where the condition holds, otherwise b.
function words.choose(when, a, b)
  when, a, b = operand(when, "choose"), operand(a, "choose"), operand(b, "choose")
  return make("choose", ("%s if %s, otherwise %s"):format(within(a, SUM), when.text, within(b, SUM)), SUM - 1,
    { a = when, b = a, c = b })
end

-- The element of an input at the coordinates of the result.
function words.element(tensor)
  if type(tensor) ~= "string" then error("element: expected the name of an input", 2) end
  return make("element", tensor, ATOM, { field = tensor })
end

-- The value of an attribute. (The prelude's `attr` is for rules.)
function words.attribute(name)
  if type(name) ~= "string" then error("attribute: expected the name of an attribute", 2) end
  return make("attribute", name, ATOM, { field = name })
end

-- The bias of an attribute that is a DML_SCALE_BIAS; `attribute` gives its scale.
function words.bias(name)
  if type(name) ~= "string" then error("bias: expected the name of an attribute", 2) end
  return make("bias", name .. ".Bias", ATOM, { field = name })
end

words.nan = make("const", "NaN", ATOM, { value = 0 / 0 })
words.inf = make("const", "infinity", ATOM, { value = 1 / 0 })

-- Tolerances: formulas that may also name the exact result y and the unit roundoff u.
words.y = make("result", "y", ATOM)
words.u = make("roundoff", "u", ATOM)
words.largest = make("largest", "the largest number", ATOM)
words.smallest_normal = make("smallest_normal", "the smallest normal number", ATOM)

-- n units in the last place of the result.
function words.ulp(n)
  local count = operand(n, "ulp")
  return make("mul", count.text .. " ULP", PRODUCT, { a = count, b = words.spacing(words.y) })
end

-- Number n, from 0 on, of what the oracle says of a result besides its value.
function words.term(n)
  if math.type(n) ~= "integer" then error("term: expected an integer", 2) end
  return make("term", "term " .. n, ATOM, { value = n + 0.0 })
end

-- A word that rules have, too, such as `abs`, means theirs where its operand is one of theirs.
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
