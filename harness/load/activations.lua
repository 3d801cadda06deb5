-- The functions of activations, which are operators of their own or fused into another, and the rules of a
-- FusedActivation. This file runs after the words of formulas and adds to them.

local words = ...

-- Each activation has its value for x, and the absolute error that a device may make, if any. `get` gives an attribute.
-- `u` is the unit roundoff of the arithmetic, `t` the error of tanh and erf. No operation of the value overflows.
local functions, names = {}, {} -- names: the activations that can be fused

local function alone(name, value, bound)
  functions["ACTIVATION_" .. name] = { value = value, bound = bound }
end
local function activation(name, value, bound)
  names[#names + 1] = "ACTIVATION_" .. name
  alone(name, value, bound)
end

-- The relative error of e^t, the logistic function, ln(1 + e^t) and its absolute error.
local function of_exp(t, u) return 8 * u + 2 * u * words.abs(t) end
local function logistic(t) return 1 / (1 + words.exp(-t)) end
local function soft_plus(t) return words.max(t, 0) + words.log1p(words.exp(-words.abs(t))) end
local function of_soft_plus(t, u)
  return logistic(t) * (of_exp(t, u) + 2 * u * words.abs(t)) + 2 * u + 8 * u * words.max(1, soft_plus(t))
end
local function below(x, limit, error, otherwise) return words.choose(words.lt(x, limit), error, otherwise or 0) end
local function line(x, get) return get "Alpha" * x + get "Beta" end

activation("IDENTITY", function(x) return x end)
activation("LINEAR", line, function(x, get, u) return 2 * u * (words.abs(get "Alpha" * x) + words.abs(words.y)) end)
activation("RELU", function(x) return words.max(0, x) end)
activation("LEAKY_RELU", function(x, get) return words.choose(words.ge(x, 0), x, get "Alpha" * x) end,
  function(x) return below(x, 0, words.ulp(1)) end)
activation("THRESHOLDED_RELU", function(x, get) return words.choose(words.gt(x, get "Alpha"), x, 0) end)
activation("SHRINK",
  function(x, get)
    local bias, threshold = get "Bias", get "Threshold"
    return words.choose(words.gt(x, threshold), x - bias, words.choose(words.lt(x, -threshold), x + bias, 0))
  end,
  function() return words.choose(words.eq(words.y, 0), 0, words.ulp(1)) end)
activation("HARD_SIGMOID", function(x, get) return words.max(0, words.min(line(x, get), 1)) end,
  function(x, get, u)
    local h = 2 * u * (words.abs(get "Alpha" * x) + words.abs(get "Beta") + 1)
    local between = words.both(words.ge(line(x, get), -h), words.le(line(x, get), 1 + h))
    return words.choose(between, h, 0)
  end)
activation("SOFTSIGN", function(x) return x / (1 + words.abs(x)) end, function() return words.ulp(3) end)
activation("ELU", function(x, get) return words.choose(words.ge(x, 0), x, get "Alpha" * words.expm1(x)) end,
  function(x, get, u) return below(x, 0, words.abs(get "Alpha") * (words.exp(x) * of_exp(x, u) + 4 * u)) end)
activation("CELU",
  function(x, get) return words.max(0, x) + words.min(0, get "Alpha" * words.expm1(x / get "Alpha")) end,
  function(x, get, u)
    local t = x / get "Alpha"
    return below(x, 0, words.abs(get "Alpha") * (words.exp(t) * (of_exp(t, u) + 2 * u * words.abs(t)) + 4 * u))
  end)
activation("SCALED_ELU",
  function(x, get)
    return words.choose(words.gt(x, 0), get "Gamma" * x, get "Gamma" * get "Alpha" * words.expm1(x))
  end,
  function(x, get, u)
    local factor = words.abs(get "Gamma" * get "Alpha")
    return words.choose(words.gt(x, 0), words.ulp(1),
      factor * (words.exp(words.min(x, 0)) * of_exp(x, u) + 6 * u) + words.smallest_normal * words.abs(get "Gamma"))
  end)
activation("SIGMOID", logistic,
  function(x, _, u) return words.y * ((1 - words.y) * of_exp(words.max(x, -700), u) + 4 * u) end)
activation("TANH", function(x) return words.tanh(x) end, function(_, _, u, t) return t + 2 * u end)
activation("SCALED_TANH", function(x, get) return get "Alpha" * words.tanh(get "Beta" * x) end,
  function(_, get, u, t) return words.abs(get "Alpha") * (t + 4 * u) end)
activation("SOFTPLUS", function(x, get) return soft_plus(get "Steepness" * x) / get "Steepness" end,
  function(x, get, u)
    return of_soft_plus(get "Steepness" * x, u) / words.abs(get "Steepness") + 4 * u * words.abs(words.y)
  end)
activation("PARAMETRIC_SOFTPLUS", function(x, get) return get "Alpha" * soft_plus(get "Beta" * x) end,
  function(x, get, u)
    return of_soft_plus(get "Beta" * x, u) * words.abs(get "Alpha") + 4 * u * words.abs(words.y)
  end)
activation("GELU", function(x) return 0.5 * x * (1 + words.erf(x / 2 ^ 0.5)) end,
  function(x, _, _, t) return 0.5 * words.abs(x) * t + words.ulp(3) end)
alone("HARD_SWISH", function(x, get) return x * words.max(0, words.min(line(x, get), 1)) end,
  function(x, get, u) return words.abs(x) * 2 * u * (words.abs(get "Alpha" * x) + words.abs(get "Beta") + 2) end)
alone("SWISH", function(x, get) return x * logistic(get "SigmoidInputScale" * x) end,
  function(x, get, u)
    local t = get "SigmoidInputScale" * x
    local factor = logistic(t)
    return words.abs(x) * factor * ((1 - factor) * (of_exp(t, u) + 2 * u * words.abs(t)) + 6 * u)
  end)

-- Returns the condition that the product of a line is beyond the type although its value is not, and the results that a
-- device may give then.
function words.product_overflows(x, get)
  local product = get "Alpha" * x
  return words.both(words.gt(words.abs(product), words.largest), words.lt(words.abs(product), words.inf)),
    { { "infinity", words.choose(words.lt(product, 0), -words.inf, words.inf) } }
end

-- Returns the value of an activation, and its tolerances by type unless the bound is 0. `get` gives an attribute: it is
-- `attribute` for an activation that is an operator of its own, `member` for a fused one.
function words.activation(name, x, get)
  local f = functions[name]
  if not f then error(("activation: '%s' is not known"):format(tostring(name)), 2) end
  if not f.bound then return { f.value(x, get) } end
  local function bound(u, t, once)
    local error = f.bound(x, get, u, t)
    return words.choose(words.eq(error, 0), 0, error + words.smallest_normal * words.max(1, words.abs(x)) + (once or 0))
  end
  local single, half = bound(0x1p-24, 0x1p-20), bound(0x1p-24, 0x1p-20, words.ulp(1))
  return {
    f.value(x, get),
    FLOAT32 = { soft = single, must = bound(0x1p-24, 0x1p-10) },
    FLOAT16 = { soft = half, must = words.max(half, bound(0x1p-11, 0x1p-9)) },
  }
end

-- Returns the results of an operator with a FusedActivation, one for each activation. `family`: { VALUE, output =,
-- field =, error = a bound on the value's error before the activation, and tolerances for no activation }.
function words.fused_results(family)
  local value, results = family[1], {}
  local plain = { value, by = family.field, FLOAT32 = family.FLOAT32, FLOAT16 = family.FLOAT16 }
  results[1] = words.result(family.output) (plain)
  for _, name in ipairs(names) do
    local result = words.activation(name, value, words.member)
    result[1] = functions[name].value(words.within(value, family.error), words.member)
    result.by, result.activation = family.field, name
    results[#results + 1] = words.result(family.output) (result)
  end
  return results
end

-- Returns the rules of a FusedActivation. A device may accept activations of a higher level, and the softmax kinds.
-- `since`: the level that introduced the operator, if that is not the first one.
function words.fused_rules(field, page, since)
  local function numbers(...)
    local found = {}
    for _, list in ipairs { ... } do
      for _, name in ipairs(list) do found[#found + 1] = words.operator_number(name) end
    end
    table.sort(found)
    return found
  end
  local softmax = { "ACTIVATION_SOFTMAX", "ACTIVATION_SOFTMAX1" }
  local never = {
    "ACTIVATION_HARDMAX", "ACTIVATION_HARDMAX1", "ACTIVATION_LOG_SOFTMAX", "ACTIVATION_LOG_SOFTMAX1",
    "ACTIVATION_RELU_GRAD", "ACTIVATION_SWISH", "ACTIVATION_HARD_SWISH", "ELEMENT_WISE_CLIP",
  }
  local type, rule, when, one_of = words.operator_type(field), words.rule, words.when, words.one_of
  local given = words.present(field)
  local function without(name)
    local rest = {}
    for _, other in ipairs(names) do if other ~= name then rest[#rest + 1] = other end end
    return rest
  end
  local function is(name) return one_of(type, { words.operator_number(name) }) end
  local found = {
    rule "fused-type" { when(given, one_of(type, numbers(names, softmax, never))), page = page,
      text = ("the type of %s must be an activation that can be fused"):format(field) },
    rule "fused-never" { when(words.all_of(given, one_of(type, numbers(names, softmax, never))),
        one_of(type, numbers(names, softmax))), strength = "soft", page = page,
      text = ("the type of %s must not be HARDMAX, LOG_SOFTMAX, RELU_GRAD, SWISH, HARD_SWISH or CLIP"):format(field) },
    rule "fused-softmax" {
      when(words.all_of(given, one_of(type, numbers(names, softmax))), one_of(type, numbers(names))),
      strength = "open", ruling = "E24", text = ("the type of %s should not be SOFTMAX"):format(field) },
    rule "fused-desc" { when(given, words.has_desc(field)), strength = "soft", ruling = "E24",
      text = ("the Desc of %s must not be null"):format(field) },
    rule "fused-input-null" { when(given, words.equal(words.member_given(field, 0), 0)), strength = "soft", page = page,
      text = ("the InputTensor of %s must be null"):format(field) },
    rule "fused-output-null" { when(given, words.equal(words.member_given(field, 1), 0)), strength = "soft",
      page = page, text = ("the OutputTensor of %s must be null"):format(field) },
    rule "fused-steepness" {
      when(words.all_of(given, is "ACTIVATION_SOFTPLUS"), words.at_least(words.member_float(field, 2), 1.0)),
      before = "6_4", page = "DML_ACTIVATION_SOFTPLUS",
      text = ("the Steepness of %s must be at least 1"):format(field) },
  }
  local function added(id, one, text, level)
    if since and since >= level then return end
    found[#found + 1] = rule(id) {
      when(words.all_of(given, one_of(type, numbers(names))), one_of(type, numbers(without(one)))),
      strength = "open", before = level, ruling = "E24", text = text:format(field) }
  end
  added("fused-shrink", "ACTIVATION_SHRINK", "the type of %s should not be SHRINK", "2_0")
  added("fused-celu", "ACTIVATION_CELU", "the type of %s should not be CELU", "3_0")
  added("fused-gelu", "ACTIVATION_GELU", "the type of %s should not be GELU", "5_1")
  return found
end

-- Returns behaviours for the activations that leave a choice. They are about `value`, of the output `of` if there are
-- several.
function words.fused_behaviours(value, of)
  local overflows = words.choose(words.gt(words.u, 0x1p-20), 11, 88) -- t at which e^t overflows FLOAT16, FLOAT32
  local found = {}
  local function add(id, one, text, strength, when, gives, ruling)
    found[#found + 1] = words.behaviour(id) { strength = strength, ruling = ruling or "E25", when = when, gives = gives,
      of = of, activation = "ACTIVATION_" .. one, text = text }
  end
  local function nan_of(id, one, gives, of_what)
    add("nan-" .. id, one, "the activation of a NaN is a NaN, or the value of its limits or its last branch", "open",
      words.is_nan(of_what or value), gives)
  end
  local kept, zero = { "propagated", words.nan }, { "0", 0 }
  nan_of("relu", "RELU", { kept, zero })
  nan_of("celu", "CELU", { kept, zero })
  nan_of("thresholded-relu", "THRESHOLDED_RELU", { kept })
  nan_of("shrink", "SHRINK", { kept })
  nan_of("hard-sigmoid", "HARD_SIGMOID", { kept, zero, { "1", 1 } },
    words.member "Alpha" * value + words.member "Beta") -- the sum may also be 0 times infinity
  add("celu-alpha", "CELU", "CELU with an Alpha of 0 gives any value", "open", words.eq(words.member "Alpha", 0),
    "anything")
  add("celu-overflow", "CELU", "with an Alpha below 0, e^t within CELU may become an infinity", "open",
    words.both(words.lt(value, 0), words.gt(value / words.member "Alpha", overflows)),
    { { "infinity", words.member "Alpha" * words.inf } })
  local overflows_first, infinity = words.product_overflows(value, words.member)
  add("linear-overflow", "LINEAR", "where the product of LINEAR is beyond the type, it may be an infinity", "open",
    overflows_first, infinity, "N20")
  add("shrink-second-line", "SHRINK",
    "where a negative Threshold makes both conditions of SHRINK hold, the first decides", "soft",
    words.both(words.gt(value, words.member "Threshold"), words.lt(value, -words.member "Threshold")),
    { { "second", value + words.member "Bias" } })
  add("softplus-steepness", "SOFTPLUS", "SOFTPLUS with a Steepness of 0 or below gives any value", "open",
    words.negated(words.gt(words.member "Steepness", 0)), "anything")
  add("softplus-overflow", "SOFTPLUS", "e^t within SOFTPLUS does not become an infinity", "soft",
    words.gt(words.member "Steepness" * value, overflows), { { "infinity", words.inf } })
  add("parametric-softplus-overflow", "PARAMETRIC_SOFTPLUS",
    "e^t within PARAMETRIC_SOFTPLUS does not become an infinity", "soft",
    words.gt(words.member "Beta" * value, overflows), { { "infinity", words.member "Alpha" * words.inf } })
  add("infinite-softsign", "SOFTSIGN", "SOFTSIGN of an infinity is 1, -1 or a NaN", "open", words.is_inf(value),
    { { "1", words.choose(words.lt(value, 0), -1, 1) } })
  add("infinite-gelu", "GELU", "GELU of minus infinity is 0 or a NaN", "open",
    words.both(words.is_inf(value), words.lt(value, 0)), { zero })
  return found
end
