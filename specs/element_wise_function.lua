-- Element-wise functions of real numbers. Where the documents give no tolerance, the limits are this project's (E10).

local g = scaled "InputTensor"
local magnitude = abs(g)
local function is_type(unit) return eq(u, unit) end
local is_float16, is_float32 = is_type(0x1p-11), is_type(0x1p-24)

local single, half = function_limits(0x1p-24), function_limits(0x1p-11)

-- The must limit is at least the soft limit.
local function limits(soft, hard) return { soft = soft, must = max(soft, hard) } end

-- Makes an example of values that were computed outside of this project.
local function known(values, results)
  return example "known" { InputTensor = tensor("FLOAT32", values), OutputTensor = tensor("FLOAT32", results) }
end

-- Beyond 100 pi, a device may have too few bits of pi.
local large = both(gt(magnitude, 100 * math.pi), negated(is_inf(g)))
local sine = { soft = choose(le(magnitude, math.pi), 0x1p-11, 0.0008), must = 1 / 1024 }
local function sine_like(formula, of_half)
  return elementwise { formula, FLOAT32 = sine, FLOAT16 = limits(1 / 1024, 1 / 512),
    domains = { InputTensor = { -314, 314 } }, examples = { known({ 0.5, inf }, { of_half, nan }) },
    special = "infinities give NaN",
    behaviours = {
      behaviour "large" { text = "beyond 100 pi, any value from -1 to 1 is right", strength = "open", ruling = "E11",
        when = large, gives = { { "bounded", within(0, 1) } } },
      behaviour "large-beyond" { text = "beyond 100 pi, results stay between -1 and 1", strength = "soft",
        ruling = "E11",
        when = large, gives = { { "undefined", nan }, { "argument", g } } },
    } }
end

-- The arguments for which e^x overflows FLOAT32, and half of e^x does not.
local halved = both(is_float32, both(ge(magnitude, 88.72), le(magnitude, 89.42)))
local function hyperbolic(formula, of_half, special)
  return elementwise { formula, special = special, domains = { InputTensor = { -88, 88 } },
    examples = { known({ 0.5 }, { of_half }) },
    FLOAT32 = limits(max(ulp(32), 0x1p-17), max(ulp(8 + 2 * magnitude), 0x1p-14)),
    FLOAT16 = limits(max(ulp(2), 0x1p-10), max(ulp(4 + magnitude), 0x1p-9)),
    behaviours = {
      behaviour "halved-overflow" { text = "if e^|x| overflows and half of it does not, an infinity is right, too",
        strength = "open", ruling = "E9", when = halved, gives = { { "infinite", formula * inf } } },
    } }
end

local area32, area16 = limits(max(ulp(32), 0x1p-17), 1 / 1024), limits(max(ulp(2), 0x1p-9), 1 / 512)

-- The page's formula in the type of the tensor: the square overflows, and the sum cancels.
local function by_formula(sign)
  local root = sqrt(g * g + sign)
  return choose(gt(g * g, largest), inf, log(within(g + root, 2 * spacing(root))))
end
local function literally(sign, where)
  return behaviour "literally" {
    text = "the result is the mathematical function, not the page's formula with its rounding errors",
    strength = "soft", ruling = "E14", when = where, gives = { { "formula", by_formula(sign) } } }
end

return {
  operator "ELEMENT_WISE_SQRT" (elementwise { sqrt(g), zeros = "signed",
    FLOAT32 = limits(ulp(1), ulp(single.sqrt)), FLOAT16 = limits(ulp(1), ulp(half.sqrt)),
    domains = { InputTensor = { 0, 1024 } },
    special = "a negative number gives NaN, a zero gives itself, infinity gives infinity",
    examples = {
      example "squares" { InputTensor = tensor("FLOAT32", { 0, 4, 2.25 }),
        OutputTensor = tensor("FLOAT32", { 0, 2, 1.5 }) },
      known({ -1, inf }, { nan, inf }),
    } }),

  operator "ELEMENT_WISE_RECIP" (elementwise { 1 / g, zeros = "signed",
    FLOAT32 = limits(ulp(2), ulp(3)), FLOAT16 = limits(ulp(2), ulp(3)),
    special = "a zero gives an infinity, and an infinity a zero, of the same sign",
    examples = {
      example "values" { InputTensor = tensor("FLOAT32", { -2, 0.25, inf }),
        OutputTensor = tensor("FLOAT32", { -0.5, 4, 0 }) },
      known({ 0, -0.0 }, { inf, -inf }),
      example "scaled" { ScaleBias = { 0.5, 0 }, InputTensor = tensor("FLOAT32", { 4 }),
        OutputTensor = tensor("FLOAT32", { 0.5 }) },
    } }),

  operator "ELEMENT_WISE_EXP" (elementwise { exp(g), domains = { InputTensor = { -87, 88 } },
    FLOAT32 = { soft = ulp(32), must = ulp(single.exp(g)) }, FLOAT16 = { soft = ulp(1), must = ulp(half.exp(g)) },
    special = "-infinity gives 0; infinity, and a number whose power overflows, gives infinity; 0 gives 1",
    examples = { known({ 0, 1, -inf, 100 }, { 1, 2.71828183, 0, inf }) } }),

  operator "ELEMENT_WISE_LOG" (elementwise { log(g), domains = { InputTensor = { 0x1p-10, 1024 } },
    FLOAT32 = limits(max(ulp(3), 0x1p-21), single.log), FLOAT16 = limits(max(ulp(2), 0x1p-10), half.log),
    special = "a negative number gives NaN, a zero -infinity, infinity infinity",
    examples = {
      example "values" { InputTensor = tensor("FLOAT32", { 1, 2.7182817 }),
        OutputTensor = tensor("FLOAT32", { 0, 0.99999997 }) },
      known({ 0, -1 }, { -inf, nan }),
    } }),

  operator "ELEMENT_WISE_SIN" (sine_like(sin(g), 0.479425539)),

  operator "ELEMENT_WISE_COS" (sine_like(cos(g), 0.877582562)),

  operator "ELEMENT_WISE_TAN" (elementwise { tan(g), domains = { InputTensor = { -1.44, 1.44 } },
    FLOAT32 = limits((1 + y * y) / 2048, (1 + y * y) / 1024), FLOAT16 = limits((1 + y * y) / 1024, (1 + y * y) / 512),
    special = "infinities give NaN", examples = { known({ 0.5 }, { 0.546302490 }) },
    behaviours = {
      behaviour "steep" { text = "beyond 100 pi, and if |cos x| is below 1/8, any value is right", strength = "open",
        ruling = "E11", when = either(large, lt(abs(cos(g)), 1 / 8)), gives = "anything" },
    } }),

  operator "ELEMENT_WISE_ASIN" (elementwise { asin(g), domains = { InputTensor = { -1, 1 } },
    FLOAT32 = limits(max(ulp(4096), 0x1p-11), 1 / 1024), FLOAT16 = limits(max(ulp(5), 0x1p-10), 1 / 512),
    special = "a number outside of -1 to 1 gives NaN",
    examples = { known({ 0.5, 2 }, { 0.523598776, nan }) } }),

  operator "ELEMENT_WISE_ACOS" (elementwise { acos(g), domains = { InputTensor = { -1, 1 } },
    FLOAT32 = limits(max(ulp(4096), 0x1p-11), 1 / 1024), FLOAT16 = limits(max(ulp(5), 0x1p-10), 1 / 512),
    special = "a number outside of -1 to 1 gives NaN; 1 gives 0 within the tolerance",
    examples = { known({ 0.5, 1 }, { 1.04719755, 0 }) } }),

  operator "ELEMENT_WISE_ATAN" (elementwise { atan(g), zeros = "signed",
    FLOAT32 = limits(ulp(4096), 1 / 1024), FLOAT16 = limits(ulp(5), 1 / 512),
    special = "an infinity gives a right angle, a zero gives itself",
    examples = { known({ 0.5, inf }, { 0.463647609, 1.57079633 }) } }),

  operator "ELEMENT_WISE_SINH" (hyperbolic(sinh(g), 0.521095305, "infinities, and what overflows, give infinities")),

  operator "ELEMENT_WISE_COSH" (hyperbolic(cosh(g), 1.12762597, "infinities, and what overflows, give infinity")),

  operator "ELEMENT_WISE_TANH" (elementwise { tanh(g), domains = { InputTensor = { -16, 16 } },
    FLOAT32 = limits(max(ulp(16), 0x1p-18), single.tanh), FLOAT16 = limits(max(ulp(16), 0x1p-10), half.tanh),
    special = "infinities give 1 or -1, never NaN; so do numbers beyond 10 within the tolerance",
    examples = { known({ 0.5, inf }, { 0.462117157, 1 }) } }),

  operator "ELEMENT_WISE_ASINH" (elementwise { asinh(g), FLOAT32 = area32, FLOAT16 = area16,
    special = "an infinity gives itself", domains = { InputTensor = { -8, 64 } },
    behaviours = { literally(1, either(lt(g, -8), gt(g, 64))) },
    examples = { known({ 0.5, -4096 }, { 0.481211825, -9.01091338 }) } }),

  operator "ELEMENT_WISE_ACOSH" (elementwise { acosh(g), FLOAT16 = area16,
    FLOAT32 = { soft = choose(lt(g, 1.01), 0x1p-11, area32.soft), must = area32.must },
    special = "a number below 1 gives NaN, infinity gives itself; 1 gives 0 within the tolerance",
      domains = { InputTensor = { 1, 64 } },
    behaviours = { literally(-1, gt(g, 64)) },
    examples = { known({ 2, 0.5 }, { 1.31695790, nan }) } }),

  operator "ELEMENT_WISE_ATANH" (elementwise { atanh(g), FLOAT32 = area32, FLOAT16 = area16,
    special = "a number outside of -1 to 1 gives NaN, 1 and -1 give infinities",
      domains = { InputTensor = { -0.99, 0.99 } }, examples = { known({ 0.5, 1 }, { 0.549306144, inf }) },
    behaviours = {
      behaviour "steep" { text = "near 1 and -1, any value is right", strength = "open", ruling = "E11",
        gives = "anything",
        when = both(gt(magnitude, choose(is_float16, 0.99, 0.999)), lt(magnitude, 1)) },
    } }),

  operator "ELEMENT_WISE_ERF" (elementwise { erf(g), domains = { InputTensor = { -5, 5 } },
    FLOAT32 = limits(0x1p-17, single.erf), FLOAT16 = limits(1 / 1024, half.erf),
    special = "infinities give 1 or -1; so do numbers beyond 4 within the tolerance",
    examples = { known({ 0.5, inf }, { 0.520499878, 1 }) } }),
}
