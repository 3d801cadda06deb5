-- Element-wise arithmetic of two tensors, and powers.

local a, b = element "ATensor", element "BTensor"
local are_floats = is_float "ATensor"
local are_integers = negated(are_floats)
local function limits(soft, hard) return { soft = soft, must = hard } end
local rounded, quotient = limits(0, ulp(1)), limits(ulp(2), ulp(3))

-- Makes an example of one type from the values of both operands and the results.
local function case(id, type, of_a, of_b, results)
  return example(id) { ATensor = tensor(type, of_a), BTensor = tensor(type, of_b),
    OutputTensor = tensor(type, results) }
end

-- Says which operand MIN or MAX returns for NaNs and zeros.
local function extreme(formula, other, examples)
  return elementwise { formula, nans = false, examples = examples,
    behaviours = {
      behaviour "one-nan" { text = "if one operand is a NaN, either operand may be the result",
        strength = "open", ruling = "E16",
        when = ne(is_nan(a), is_nan(b)), gives = { { "propagated", nan }, { "other", formula } } },
      behaviour "both-nan" { text = "two NaNs give a NaN", ruling = "E6" },
      behaviour "flushed-equal" { text = "denormals are compared as numbers, not as zeros", strength = "soft",
        ruling = "E7",
        when = both(are_floats, lt(max(abs(a), abs(b)), smallest_normal)), gives = { { "either", other } } },
    } }
end

local function modulus(formula, examples)
  local ratio = a / b
  local spacings = abs(ratio - round_even(ratio)) / spacing(ratio)
  local rest = formula
  return elementwise { formula, FLOAT32 = 2 * spacing(max(abs(a), abs(b))), FLOAT16 = 2 * spacing(max(abs(a), abs(b))),
    special = "a floating-point number modulo 0, or infinity modulo a number, is NaN", examples = examples,
    domains = { ATensor = { -16, 16 }, BTensor = { -16, 16, nonzero = true } },
    behaviours = {
      behaviour "zero-divisor" { text = "an integer modulo 0 may be any value", strength = "open", ruling = "E13",
        when = both(are_integers, eq(b, 0)), gives = "anything" },
      behaviour "minus-one" { text = "an integer modulo -1 is 0", strength = "soft", ruling = "E18",
        when = both(are_integers, both(eq(b, -1), eq(a, lowest))), gives = { { "dividend", a }, { "divisor", b } } },
      behaviour "infinite-divisor" { text = "a number modulo infinity is the number, infinity or NaN",
        strength = "open",
        ruling = "E18",
        when = both(is_inf(b), negated(is_inf(a))), gives = { { "dividend", a }, { "divisor", b } } },
      behaviour "nearly-divisible" { text = "if the quotient is nearly an integer, it may be the next integer",
        strength = "open", ruling = "E18", when = both(are_floats, le(spacings, 4)),
        gives = { { "above", rest + abs(b) }, { "below", rest - abs(b) } } },
      behaviour "large-quotient" { text = "a large quotient loses the remainder", strength = "open", ruling = "E18",
        when = both(are_floats, both(ne(b, 0), both(negated(is_inf(a)),
          ge(abs(ratio), choose(eq(u, 0x1p-11), 16, 1024))))),
        gives = "anything" },
    } }
end
local truncated = a - b * trunc(a / b)
local seven = { { -7, 7, 5.5, -5.5 }, { 3, -3, -2, 2 } }

-- Powers of `base`: an element, with its ScaleBias applied.
local base = scaled "InputTensor"
local function power_ulps(exponent) return function_limits(0x1p-24).pow(base, exponent) end
local function power(exponent, fields)
  local value, between = pow(base, exponent), power_ulps(exponent)
  local unusual = either(is_inf(base), is_inf(exponent))
  local one = either(both(eq(exponent, 0), either(is_inf(base), is_nan(base))),
    both(eq(base, 1), either(is_inf(exponent), is_nan(exponent))))
  -- An integer is what a device makes of a NaN or an infinity: 0, a limit of the type, or the indefinite integer.
  local function as_integer(float, integer) return choose(is_float "InputTensor", float, integer) end
  local indefinite = as_integer(nan, choose(lt(lowest, 0), lowest, largest / 2 + 1))
  fields[1] = fields[1] or value
  fields.FLOAT32, fields.FLOAT16 = limits(ulp(32), ulp(between)), limits(ulp(2), ulp(4) + between * abs(y) * 0x1p-23)
  fields.nans = false
  fields.special = "a negative base with a fractional exponent gives NaN; x^0 and 1^e are 1, 0^e is 0 or infinity"
  fields.behaviours = fields.behaviours or {}
  for _, one_more in ipairs {
    behaviour "zero-to-zero" { text = "0^0 is 1 or NaN", strength = "open", ruling = "E19",
      when = both(eq(base, 0), eq(exponent, 0)), gives = { { "nan", as_integer(nan, 0) }, { "indefinite", indefinite },
        { "largest", as_integer(nan, largest) } } },
    behaviour "one" { text = "NaN^0, infinity^0, 1^NaN and 1^infinity are 1 or NaN",
      strength = "open",
      ruling = "E19", when = one, gives = { { "nan", as_integer(nan, 0) }, { "one", 1 }, { "indefinite", indefinite },
        { "largest", as_integer(nan, largest) } } },
    behaviour "infinite-sign" { text = "a zero to a negative power has the sign that C's pow returns",
      strength = "soft",
      ruling = "E19",
      when = both(eq(base, 0), lt(exponent, 0)), gives = { { "negated", -value } } },
    behaviour "infinite" { text = "powers with an infinity are the values of C's pow",
      strength = "soft", ruling = "E19",
      when = unusual,
      gives = { { "nan", as_integer(nan, 0) }, { "infinity", as_integer(inf, largest) },
        { "negative", as_integer(-inf, indefinite) }, { "share", within(0.5, 0.5) } } },
  } do table.insert(fields.behaviours, one_more) end
  return elementwise(fields)
end
local e = element "ExponentTensor"
local of_integers = negated(either(is_float "InputTensor", is_float "ExponentTensor"))
local to_integer = both(negated(is_float "InputTensor"), is_float "ExponentTensor")
-- A power of an integer and a float is a FLOAT32 power, truncated.
local float_power = pow(base, e)
local float_error = choose(lt(abs(e), inf), power_ulps(e) * abs(float_power) * 0x1p-23, 0)
local single = choose(to_integer, 1 + power_ulps(e) * abs(y) * 0x1p-23, 1)
local function powers(id, type, bases, exponents, results)
  return example(id) { InputTensor = tensor(type, bases), ExponentTensor = tensor(type, exponents),
    OutputTensor = tensor(type, results) }
end

-- Exponents for which devices have code of their own.
local function exponents()
  local found = {}
  for name, value in pairs { ["2"] = 2.0, ["3"] = 3.0, ["4"] = 4.0, half = 0.5, ["minus-half"] = -0.5, ["minus-1"] = -1.0,
    ["minus-2"] = -2.0 } do
    found[#found + 1] = situation("exponent-" .. name) { text = ("Exponent is %s"):format(value),
      values = { Exponent = value } }
  end
  return found
end

return {
  operator "ELEMENT_WISE_ADD" (elementwise { a + b, FLOAT32 = rounded, FLOAT16 = rounded, overflows = true,
    examples = {
      case("int8", "INT8", { 100 }, { 27 }, { 127 }), case("tie-to-even", "FLOAT16", { 2048 }, { 1 }, { 2048 }),
    } }),

  operator "ELEMENT_WISE_SUBTRACT" (elementwise { a - b, FLOAT32 = rounded, FLOAT16 = rounded, overflows = true,
    examples = { case("wrapped", "UINT32", { 3 }, { 5 }, { 4294967294 }) } }),

  operator "ELEMENT_WISE_MULTIPLY" (elementwise { a * b, FLOAT32 = rounded, FLOAT16 = rounded, overflows = true,
    examples = { case("floats", "FLOAT32", { 2, 0 }, { 3, inf }, { 6, nan }) } }),

  operator "ELEMENT_WISE_DIVIDE" (elementwise { a / b, FLOAT32 = quotient, FLOAT16 = quotient,
    special = "x / 0 is an infinity, 0 / 0 and infinity / infinity are NaN; integer quotients are truncated",
    domains = { BTensor = { nonzero = true } },
    behaviours = {
      behaviour "zero-divisor" { text = "an integer divided by 0 may be any value", strength = "open", ruling = "E13",
        when = both(are_integers, eq(b, 0)), gives = "anything" },
      behaviour "minus-one" { text = "the lowest integer divided by -1 may be any value",
        strength = "open", ruling = "E13",
        when = both(are_integers, both(eq(b, -1), eq(a, lowest))), gives = "anything" },
    },
    examples = {
      case("truncated", "INT32", { -7, 7, -7 }, { 2, -2, -2 }, { -3, -3, 3 }),
      case("by-zero", "FLOAT32", { 1, -1 }, { 0, 0 }, { inf, -inf }),
    } }),

  operator "ELEMENT_WISE_MEAN" (elementwise { (a + b) / 2, FLOAT32 = ulp(1), FLOAT16 = ulp(1),
    behaviours = {
      behaviour "sum-overflows" { text = "if the sum overflows, infinity is right, too", strength = "open",
        ruling = "E17",
        when = both(are_floats, gt(abs(a + b), largest)), gives = { { "infinite", (a + b) * inf } } },
      behaviour "integer-sum-overflows" { text = "integers: half of the wrapped or saturated sum is right, too",
        strength = "open", ruling = "E17", when = both(are_integers, negated(fits(a + b))),
        gives = { { "wrapped", wrapped(a + b) / 2 }, { "saturated", saturate(a + b) / 2 } } },
      behaviour "truncated" { text = "the mean of integers is rounded toward zero", strength = "soft", ruling = "E17",
        when = both(are_integers, both(lt(a + b, 0), ne(a + b, (a + b) / 2 * 2))),
          gives = { { "floored", (a + b) / 2 - 1 } } },
    },
    examples = {
      case("floats", "FLOAT32", { 1, 2.5 }, { 2, -0.5 }, { 1.5, 1 }),
        case("integers", "INT32", { 4, -6, -3 }, { 2, -2, 0 }, { 3, -4, -1 }),
    } }),

  operator "ELEMENT_WISE_MAX" (extreme(max(a, b), min(a, b), {
    case("floats", "FLOAT32", { 1, -2, inf }, { 3, -5, 0 }, { 3, -2, inf }),
      case("int64", "INT64", { -1 }, { 1 << 40 }, { 1 << 40 }),
  })),

  operator "ELEMENT_WISE_MIN" (extreme(min(a, b), max(a, b), { case("uint8", "UINT8", { 200 }, { 100 }, { 100 }) })),

  operator "ELEMENT_WISE_DIFFERENCE_SQUARE" (elementwise { (a - b) * (a - b), FLOAT32 = quotient, FLOAT16 = quotient,
    overflows = true,
    examples = {
      case("floats", "FLOAT32", { 3, 1.5 }, { 5, -0.5 }, { 4, 4 }), case("unsigned", "UINT32", { 3 }, { 5 }, { 4 }),
    } }),

  operator "ELEMENT_WISE_MODULUS_TRUNCATE" (modulus(truncated,
    { case("signs", "FLOAT32", seven[1], seven[2], { -1, 1, 1.5, -1.5 }) })),

  operator "ELEMENT_WISE_MODULUS_FLOOR" (modulus(choose(both(ne(truncated, 0), ne(lt(truncated, 0), lt(b, 0))),
    truncated + b, truncated),
    { case("signs", "FLOAT32", seven[1], seven[2], { 2, -2, -0.5, 0.5 }),
      case("integers", "INT32", { -7, 7 }, { 3, -3 }, { 2, -2 }) })),

  operator "ELEMENT_WISE_POW" (power(e, {
    choose(both(of_integers, lt(e, 0)), 1 / pow(base, -e), pow(base, e)), integers = { soft = 0, must = single },
      overflows = true,
    text =
      "each element is InputTensor, after its ScaleBias, to the power of ExponentTensor, in the type of InputTensor",
    domains = { InputTensor = { -8, 8 }, ExponentTensor = { -4, 4 } },
    rules = { rule "exponent-type" { same("DataType", "InputTensor", "ExponentTensor"), before = "3_0",
      page = "DML_ELEMENT_WISE_POW" } },
    behaviours = {
      behaviour "negative-exponent" { text = "an integer to a negative power is 1 / x^|e|, rounded toward zero",
        strength = "soft",
        ruling = "E19", when = both(of_integers, lt(e, 0)), gives = { { "zero", 0 }, { "one", 1 } } },
      behaviour "no-integer" { text = "a power beyond the integer type of the base may be any value",
        strength = "open",
        ruling = "E19", when = both(to_integer, negated(fits(trunc(within(float_power, float_error))))),
        gives = "anything" },
    },
    examples = {
      powers("signs", "FLOAT32", { 2, -2, -8 }, { 3, 3, 2 }, { 8, -8, 64 }),
        powers("root", "FLOAT32", { -8 }, { 0.5 }, { nan }),
      powers("int32", "INT32", { 3 }, { 5 }, { 243 }),
      example "mixed" { InputTensor = tensor("UINT8", { 7 }), ExponentTensor = tensor("FLOAT32", { 2 }),
        OutputTensor = tensor("UINT8", { 49 }) },
      example "scaled" { ScaleBias = { 2, 1 }, InputTensor = tensor("FLOAT32", { 3 }),
        ExponentTensor = tensor("FLOAT32", { 2 }),
        OutputTensor = tensor("FLOAT32", { 49 }) },
    } })),

  operator "ELEMENT_WISE_CONSTANT_POW" (power(attribute "Exponent", { situations = exponents(), domains = { InputTensor = { -8, 8 } },
    examples = { example "scaled" { ScaleBias = { 2, 10 }, Exponent = 2, InputTensor = tensor("FLOAT32", { 1, 2, 3 }),
      OutputTensor = tensor("FLOAT32", { 144, 196, 256 }) } } })),

  operator "ELEMENT_WISE_ATAN_YX" (elementwise { atan2(a, b),
    FLOAT32 = limits(max(ulp(4096), 0x1p-11), 1 / 512), FLOAT16 = limits(max(ulp(5), 0x1p-9),
      max(max(ulp(5), 0x1p-9), 1 / 256)),
    behaviours = {
      behaviour "origin" { text = "the angle of the origin is undefined", strength = "open",
        page = "DML_ELEMENT_WISE_ATAN_YX",
        when = both(eq(a, 0), eq(b, 0)), gives = "anything" },
      behaviour "behind" { text = "the sign of a tiny y is kept", strength = "soft", ruling = "E8",
        when = both(lt(b, 0), lt(abs(a), smallest_normal * max(1, -b))), gives = { { "negated", -atan2(a, b) } } },
      behaviour "infinite" { text = "angles with infinities are the values of C's atan2",
        strength = "soft", ruling = "E20",
        when = either(is_inf(a), is_inf(b)), gives = { { "angle", within(0, math.pi) }, { "undefined", nan } } },
    },
    examples = { case("quadrants", "FLOAT32", { 1, 1, -1, 0 }, { 1, -1, 0, 2 },
      { 0.7853982, 2.3561945, -1.5707964, 0 }) } }),
}
