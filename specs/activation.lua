-- Activations that compute each element from one element. harness/load/activations.lua has their functions and bounds,
-- which other operators fuse.

local x, slope, gradient = element "InputTensor", element "SlopeTensor", element "InputGradientTensor"
local inputs = { -4, -2, -0.5, 0, 0.5, 2, 4 }
local integer = negated(is_float "InputTensor")
local line = attribute "Alpha" * x + attribute "Beta"
local factors_beyond, infinite = product_overflows(attribute "Gamma" * attribute "Alpha", expm1(x))
local product_beyond, infinity = product_overflows(attribute "Alpha" * x, nil, attribute "Beta")
-- A product beyond the type and an infinite Beta may be infinities of both signs.
local no_line = either(is_nan(line), both(product_beyond, is_inf(attribute "Beta")))

local function values(attributes, results, id)
  attributes.InputTensor, attributes.OutputTensor = tensor("FLOAT32", inputs), tensor("FLOAT32", results)
  return example(id or "values") (attributes)
end

-- Accepts other values than the function's for NaNs and infinities.
local function open(id, text, when, gives)
  return behaviour(id) { text = text, strength = "open", ruling = "E25", when = when, gives = gives }
end
local function nan_open(...)
  local gives = { { "propagated", nan } }
  for _, number in ipairs { ... } do gives[#gives + 1] = { ("%d"):format(number), number } end
  return open("nan", "a NaN gives a NaN, or what the limits or the last branch give", is_nan(x), gives)
end
local function below_all(text, gives)
  return open("minus-infinity", text, both(is_inf(x), lt(x, 0)), gives)
end
local function overflow(t, gives)
  return behaviour "exponential-overflow" { text = "e^t within the function does not overflow to an infinity",
    strength = "soft",
    ruling = "E25", when = gt(t, choose(gt(u, 0x1p-20), 11, 88)), gives = { { "infinity", gives } } }
end

-- `body.attributes` names the FLOAT attributes. `integers`: the operator also has integer types.
local function activates(name, body)
  local attributes = body.attributes or {}
  body.attributes = nil
  local get = body.get or attribute
  body.get = nil
  local result = activation(name, x, get)
  for key, value in pairs(result) do body[key] = value end
  body.rules, body.behaviours = body.rules or {}, body.behaviours or {}
  if #attributes > 0 then
    local rounded, finite_ones = false, { strength = "open", ruling = "N1", text = "the attributes are finite numbers" }
    for i, one in ipairs(attributes) do
      finite_ones[i] = finite(attr(one))
      rounded = rounded and either(rounded, ne(cast(one), attribute(one))) or ne(cast(one), attribute(one))
    end
    table.insert(body.rules, rule "attributes-finite" (finite_ones))
    table.insert(body.behaviours, behaviour "attributes-rounded" { strength = "open", ruling = "N2",
      text = "a device may round an attribute to FLOAT16 first", when = both(is_float "InputTensor", rounded),
      gives = { { "rounded", activation(name, x, cast)[1] } } })
  end
  return operator(name) (elementwise(body))
end

-- The operands of the comparisons of SHRINK.
local threshold = choose(integer, floored "Threshold", attribute "Threshold")

-- SHRINK of integers rounds a threshold with a fraction down, whatever its sign.
local function shrink_with(rounded)
  return function(name) return name == "Threshold" and choose(integer, rounded(name), attribute(name)) or attribute(name) end
end
local shrunk = max(abs(x), max(abs(attribute "Bias"), abs(truncated "Threshold")))

-- An integer that FLOAT32 arithmetic computes from integers of this size.
local function in_single(value, size) return within(value, size / (1 << 22)) end

return {
  define("ACTIVATION_IDENTITY", activates, { zeros = "signed", examples = { values({}, inputs) } }),

  define("ACTIVATION_LINEAR", activates, { attributes = { "Alpha", "Beta" },
    behaviours = {
      behaviour "product-overflow" {
        text = "where Alpha times the element is beyond the type, the product may be an infinity",
        strength = "open", ruling = "N20", when = product_beyond, gives = infinity },
    },
    examples = { values({ Alpha = 2, Beta = 1 }, { -7, -3, 0, 1, 2, 5, 9 }) } }),

  define("ACTIVATION_RELU", activates, { nans = false, behaviours = { nan_open(0) },
    examples = {
      values({}, { 0, 0, 0, 0, 0.5, 2, 4 }),
      example "integers" { InputTensor = tensor("INT8", { -128, -1, 0, 1, 127 }),
        OutputTensor = tensor("INT8", { 0, 0, 0, 1, 127 }) },
    } }),

  define("ACTIVATION_LEAKY_RELU", activates, { attributes = { "Alpha" },
    examples = { values({ Alpha = 0.25 }, { -1, -0.5, -0.125, 0, 0.5, 2, 4 }) } }),

  operator "ACTIVATION_PARAMETERIZED_RELU" (elementwise { choose(ge(x, 0), x, slope * x), nans = false, overflow = "open",
    FLOAT32 = choose(lt(x, 0), ulp(1), 0), FLOAT16 = choose(lt(x, 0), ulp(1), 0),
    text = "each element is the InputTensor element; a negative element is multiplied by its SlopeTensor element",
    behaviours = {
      behaviour "nan" { text = "a NaN element, and a NaN slope of a negative element, give a NaN", ruling = "E6" },
      behaviour "slope-nan" { text = "a NaN slope has no effect on an element of 0 or above",
        strength = "soft", ruling = "N3",
        when = both(is_nan(slope), ge(x, 0)), gives = { { "propagated", nan } } },
      behaviour "slope-infinite" { text = "an infinite slope has no effect on an element of 0 or above",
        strength = "soft", ruling = "N3",
        when = both(is_inf(slope), ge(x, 0)), gives = { { "product", nan } } },
      behaviour "large-integers" { text = "a device may compute products beyond 24 bits in FLOAT32",
        strength = "soft", ruling = "N4",
        when = both(integer, gt(max(abs(x), abs(slope * x)), 1 << 24)),
        gives = { { "rounded", in_single(choose(ge(x, 0), x, slope * x), max(abs(x), abs(slope * x))) } } },
    },
    examples = {
      values({ SlopeTensor = tensor("FLOAT32", { 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25 }) },
        { -1, -0.5, -0.125, 0, 0.5, 2, 4 }),
      example "slopes" { InputTensor = tensor("FLOAT32", { -2, -2, 2 }), SlopeTensor = tensor("FLOAT32", { 3, -1, 5 }),
        OutputTensor = tensor("FLOAT32", { -6, 2, 2 }) },
      example "integers" { InputTensor = tensor("INT16", { -300, -2, 7 }), SlopeTensor = tensor("INT16", { 100, -3, 5 }),
        OutputTensor = tensor("INT16", { -30000, 6, 7 }) },
    } }),

  define("ACTIVATION_THRESHOLDED_RELU", activates, { attributes = { "Alpha" }, nans = false,
    behaviours = { nan_open() },
    examples = { values({ Alpha = 0.5 }, { 0, 0, 0, 0, 0, 2, 4 }) } }),

  define("ACTIVATION_SHRINK", activates, { attributes = { "Bias", "Threshold" }, get = shrink_with(floored),
    nans = false,
    overflow = "open",
    behaviours = {
      nan_open(),
      behaviour "second-line" { text = "if a negative Threshold makes both conditions true, the first one decides",
        strength = "soft", ruling = "N8", when = both(gt(x, threshold), lt(x, -threshold)),
        gives = { { "second", x + attribute "Bias" } } },
      behaviour "negative-threshold" { text = "a device may truncate a negative Threshold first", strength = "open",
        ruling = "N5", when = both(integer, lt(floored "Threshold", 0)),
        gives = { { "truncated", activation("ACTIVATION_SHRINK", x, shrink_with(truncated))[1] } } },
      behaviour "large-integers" { text = "a device may convert numbers beyond 24 bits to FLOAT32",
        strength = "soft", ruling = "N4",
        when = both(integer, gt(shrunk, 1 << 24)),
        gives = { { "second", in_single(x + attribute "Bias", shrunk) }, { "first", in_single(x - attribute "Bias", shrunk) },
          { "zero", 0 } } },
    },
    examples = {
      values({ Bias = 0.25, Threshold = 0.5 }, { -3.75, -1.75, 0, 0, 0, 1.75, 3.75 }),
      example "integers" { Bias = 2, Threshold = 3.5, InputTensor = tensor("INT32", { -9, -4, -3, 0, 3, 4, 9 }),
        OutputTensor = tensor("INT32", { -7, -2, 0, 0, 0, 2, 7 }) },
    } }),

  define("ACTIVATION_HARD_SIGMOID", activates, { attributes = { "Alpha", "Beta" }, nans = false,
    behaviours = { open("nan", "a NaN, 0 times infinity, or infinities of both signs give a NaN or a limit", no_line,
      { { "propagated", nan }, { "0", 0 }, { "1", 1 } }) },
    domains = { InputTensor = { -8, 8 } },
    examples = { values({ Alpha = 0.25, Beta = 0.5 }, { 0, 0, 0.375, 0.5, 0.625, 1, 1 }) } }),

  define("ACTIVATION_HARD_SWISH", activates, { attributes = { "Alpha", "Beta" }, domains = { InputTensor = { -8, 8 } },
    behaviours = {
      open("factor-nan", "a factor of 0 times infinity, or of infinities of both signs, is a NaN or a limit", no_line,
        { { "0", x * 0 }, { "1", x }, { "undefined", nan } }),
      open("infinity", "where the factor is 0, an infinity gives a NaN or 0", both(is_inf(x), le(line, 0)), { { "0", 0 } }),
    },
    examples = { values({ Alpha = 0.25, Beta = 0.5 }, { 0, 0, -0.1875, 0, 0.3125, 2, 4 }),
      values({ Alpha = 1 / 6, Beta = 0.5 }, { 0, -0.3333333, -0.2083333, 0, 0.2916667, 1.666667, 4 }, "usual") } }),

  define("ACTIVATION_SOFTSIGN", activates, {
    behaviours = { open("infinity", "infinities give 1 and -1, or a NaN", is_inf(x), { { "1", choose(lt(x, 0), -1, 1) } }) },
    domains = { InputTensor = { -16, 16 } },
    examples = { values({}, { -0.8, -0.6666667, -0.3333333, 0, 0.3333333, 0.6666667, 0.8 }) } }),

  define("ACTIVATION_ELU", activates, { attributes = { "Alpha" }, domains = { InputTensor = { -8, 8 } },
    examples = { values({ Alpha = 2 }, { -1.963369, -1.729329, -0.7869387, 0, 0.5, 2, 4 }) } }),

  define("ACTIVATION_CELU", activates, { attributes = { "Alpha" }, nans = false, domains = { InputTensor = { -8, 8 } },
    behaviours = {
      nan_open(0),
      open("alpha", "with an Alpha of 0, any value is right", eq(attribute "Alpha", 0), "anything"),
      open("exponential-overflow", "with an Alpha below 0, e^t may become an infinity",
        both(lt(x, 0), gt(x / attribute "Alpha", choose(gt(u, 0x1p-20), 11, 88))), { { "infinity", attribute "Alpha" * inf } }),
    },
    examples = { values({ Alpha = 2 }, { -1.729329, -1.264241, -0.4423984, 0, 0.5, 2, 4 }) } }),

  define("ACTIVATION_SCALED_ELU", activates, { attributes = { "Alpha", "Gamma" }, domains = { InputTensor = { -8, 8 } },
    behaviours = {
      behaviour "product-overflow" {
        text = "where Gamma times Alpha is beyond the type, the result may be a multiple of an infinity",
        strength = "open", ruling = "N20", when = both(le(x, 0), factors_beyond), gives = infinite },
    },
    examples = { values({ Alpha = 2, Gamma = 0.5 }, { -0.9816844, -0.8646647, -0.3934693, 0, 0.25, 1, 2 }) } }),

  define("ACTIVATION_SIGMOID", activates, { domains = { InputTensor = { -16, 16 } },
    examples = { values({}, { 0.01798621, 0.1192029, 0.3775407, 0.5, 0.6224593, 0.8807971, 0.9820138 }) } }),

  define("ACTIVATION_TANH", activates, { domains = { InputTensor = { -8, 8 } },
    special = "infinities and numbers beyond 44 give 1 or -1, never NaN",
    examples = { values({}, { -0.9993293, -0.9640276, -0.4621172, 0, 0.4621172, 0.9640276, 0.9993293 }) } }),

  define("ACTIVATION_SCALED_TANH", activates, { attributes = { "Alpha", "Beta" }, domains = { InputTensor = { -8, 8 } },
    examples = { values({ Alpha = 1.5, Beta = 0.5 },
      { -1.446041, -1.142391, -0.367378, 0, 0.367378, 1.142391, 1.446041 }) } }),

  define("ACTIVATION_SOFTPLUS", activates, { attributes = { "Steepness" }, without = "minus-infinite nan minus-zero",
    domains = { InputTensor = { -8, 8 } },
    rules = {
      rule "steepness" { at_least(attr "Steepness", 1.0), before = "6_4", page = "DML_ACTIVATION_SOFTPLUS" },
      rule "steepness-positive" { above(attr "Steepness", 0.0), strength = "open", from = "6_4", ruling = "N6" },
    },
    behaviours = {
      open("steepness-not-positive", "with a Steepness of 0 or below, any value is right",
        negated(gt(attribute "Steepness", 0)), "anything"),
      overflow(attribute "Steepness" * x, inf),
    },
    examples = { values({ Steepness = 2 },
      { 0.0001677032, 0.009074964, 0.1566308, 0.3465736, 0.6566308, 2.009075, 4.000168 }),
      values({ Steepness = 0.5 },
        { 0.253856, 0.626523, 1.151879, 1.386294, 1.651879, 2.626523, 4.253856 }, "flat") } }),

  define("ACTIVATION_PARAMETRIC_SOFTPLUS", activates, { attributes = { "Alpha", "Beta" },
    domains = { InputTensor = { -8, 8 } },
    behaviours = { overflow(attribute "Beta" * x, attribute "Alpha" * inf) },
    examples = { values({ Alpha = 1.5, Beta = 0.5 },
      { 0.190392, 0.4698925, 0.8639091, 1.039721, 1.238909, 1.969893, 3.190392 }) } }),

  define("ACTIVATION_GELU", activates, { domains = { InputTensor = { -8, 8 } },
    behaviours = { below_all("minus infinity gives 0 or a NaN", { { "0", 0 } }) },
    examples = { values({}, { -0.000126685, -0.04550026, -0.1542688, 0, 0.3457312, 1.9545, 3.999873 }) } }),

  define("ACTIVATION_SWISH", activates, { attributes = { "SigmoidInputScale" }, domains = { InputTensor = { -8, 8 } },
    behaviours = { open("infinity", "where the factor is 0, an infinity gives a NaN or 0",
      both(is_inf(x), lt(attribute "SigmoidInputScale" * x, 0)), { { "0", 0 } }) },
    examples = { values({ SigmoidInputScale = 1.5 },
      { -0.009890493, -0.09485175, -0.1604107, 0, 0.3395893, 1.905148, 3.99011 }) } }),

  operator "ACTIVATION_RELU_GRAD" (elementwise { choose(gt(x, 0), gradient, 0), nans = false,
    text = "each element is the InputGradientTensor element where the InputTensor element is above 0, otherwise 0",
    behaviours = {
      behaviour "nan" { text = "a NaN in InputTensor gives 0", strength = "soft", ruling = "N7", when = is_nan(x),
        gives = { { "propagated", nan }, { "gradient", gradient } } },
      behaviour "product" { text = "a blocked gradient has no effect, even if it is not finite", strength = "soft",
        ruling = "N7", when = both(le(x, 0), either(is_nan(gradient), is_inf(gradient))), gives = { { "product", nan } } },
    },
    examples = {
      example "values" { InputTensor = tensor("FLOAT32", { -1, 0, 2, 3 }), InputGradientTensor = tensor("FLOAT32", { 5, 6, 7, -8 }),
        OutputGradientTensor = tensor("FLOAT32", { 0, 0, 7, -8 }) },
    } }),
}
