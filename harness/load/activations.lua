-- The functions of activations, which are operators of their own or fused into another, and the rules of a
-- FusedActivation. This file runs after the words of formulas and adds to them.

local words = ...

-- Each activation has its value for x, and the absolute error that a device may make, if any. `get` gives an attribute.
-- `u` is the unit roundoff of the arithmetic, `e` has the errors of functions, `of` the value, y, and its ULPs. No
-- operation of the value overflows.
local functions, names = {}, {} -- names: the activations that can be fused

local function alone(name, value, bound)
  functions["ACTIVATION_" .. name] = { value = value, bound = bound }
end
local function activation(name, value, bound)
  names[#names + 1] = "ACTIVATION_" .. name
  alone(name, value, bound)
end

-- The logistic function, ln(1 + e^t) and its absolute error.
local function logistic(t) return 1 / (1 + words.exp(-t)) end
local function soft_plus(t) return words.max(t, 0) + words.log1p(words.exp(-words.abs(t))) end
local function of_soft_plus(x, u, e)
  local t = words.max(x, -1000) -- 0 times infinity would be a NaN
  return logistic(t) * (e.exp(t) + 2 * u * words.abs(t)) + 2 * u + e.log(soft_plus(t))
end
local function below(x, limit, error, otherwise) return words.choose(words.lt(x, limit), error, otherwise or 0) end
local function line(x, get) return get "Alpha" * x + get "Beta" end

activation("IDENTITY", function(x) return x end)
activation("LINEAR", line, function(x, get, u, _, of)
  return 2 * u * (words.abs(get "Alpha" * x) + words.abs(of.y))
end)
activation("RELU", function(x) return words.max(0, x) end)
activation("LEAKY_RELU", function(x, get) return words.choose(words.ge(x, 0), x, get "Alpha" * x) end,
  function(x, _, _, _, of) return below(x, 0, of.ulp(1)) end)
activation("THRESHOLDED_RELU", function(x, get) return words.choose(words.gt(x, get "Alpha"), x, 0) end)
activation("SHRINK",
  function(x, get)
    local bias, threshold = get "Bias", get "Threshold"
    return words.choose(words.gt(x, threshold), x - bias, words.choose(words.lt(x, -threshold), x + bias, 0))
  end,
  function(_, _, _, _, of) return words.choose(words.eq(of.y, 0), 0, of.ulp(1)) end)
activation("HARD_SIGMOID", function(x, get) return words.max(0, words.min(line(x, get), 1)) end,
  function(x, get, u)
    local h = 2 * u * (words.abs(get "Alpha" * x) + words.abs(get "Beta") + 1)
    local between = words.both(words.ge(line(x, get), -h), words.le(line(x, get), 1 + h))
    return words.choose(between, h, 0)
  end)
activation("SOFTSIGN", function(x) return x / (1 + words.abs(x)) end, function(_, _, _, _, of) return of.ulp(3) end)
activation("ELU", function(x, get) return words.choose(words.ge(x, 0), x, get "Alpha" * words.expm1(x)) end,
  function(x, get, u, e) return below(x, 0, words.abs(get "Alpha") * (words.exp(x) * e.exp(x) + 4 * u)) end)
activation("CELU",
  function(x, get) return words.max(0, x) + words.min(0, get "Alpha" * words.expm1(x / get "Alpha")) end,
  function(x, get, u, e)
    local alpha, t = get "Alpha", x / get "Alpha"
    local error = words.abs(alpha) * (words.exp(t) * (e.exp(t) + 2 * u * words.abs(t)) + 4 * u)
    -- Near 0, the error of a positive second part may make it negative, so that it counts.
    return words.max(0, error - words.max(0, alpha * words.expm1(t)))
  end)
activation("SCALED_ELU",
  function(x, get)
    return words.choose(words.gt(x, 0), get "Gamma" * x, get "Gamma" * get "Alpha" * words.expm1(x))
  end,
  function(x, get, u, e, of)
    local factor = words.abs(get "Gamma" * get "Alpha")
    return words.choose(words.gt(x, 0), of.ulp(1),
      factor * (words.exp(words.min(x, 0)) * e.exp(x) + 6 * u) + words.smallest_normal * words.abs(get "Gamma"))
  end)
activation("SIGMOID", logistic,
  function(x, _, u, e, of) return of.y * ((1 - of.y) * e.exp(words.max(x, -700)) + 4 * u) end)
activation("TANH", function(x) return words.tanh(x) end, function(_, _, u, e) return e.tanh + 2 * u end)
activation("SCALED_TANH", function(x, get) return get "Alpha" * words.tanh(get "Beta" * x) end,
  function(_, get, u, e) return words.abs(get "Alpha") * (e.tanh + 4 * u) end)
activation("SOFTPLUS", function(x, get) return soft_plus(get "Steepness" * x) / get "Steepness" end,
  function(x, get, u, e, of)
    return of_soft_plus(get "Steepness" * x, u, e) / words.abs(get "Steepness") + 4 * u * words.abs(of.y)
  end)
activation("PARAMETRIC_SOFTPLUS", function(x, get) return get "Alpha" * soft_plus(get "Beta" * x) end,
  function(x, get, u, e, of)
    return of_soft_plus(get "Beta" * x, u, e) * words.abs(get "Alpha") + 4 * u * words.abs(of.y)
  end)
activation("GELU", function(x) return 0.5 * x * (1 + words.erf(x / 2 ^ 0.5)) end,
  function(x, _, _, e, of) return 0.5 * words.abs(x) * e.erf + of.ulp(3) end)
alone("HARD_SWISH", function(x, get) return x * words.max(0, words.min(line(x, get), 1)) end,
  function(x, get, u) return words.abs(x) * 2 * u * (words.abs(get "Alpha" * x) + words.abs(get "Beta") + 2) end)
alone("SWISH", function(x, get) return x * logistic(get "SigmoidInputScale" * x) end,
  function(x, get, u, e)
    local t = get "SigmoidInputScale" * x
    local factor = logistic(t)
    return words.abs(x) * factor * ((1 - factor) * (e.exp(t) + 2 * u * words.abs(t)) + 6 * u)
  end)
functions.ELEMENT_WISE_CLIP = { value = function(x, get) return words.max(get "Min", words.min(x, get "Max")) end }

-- The activations that an operator can fuse: those of every operator, and those of `also`, which only some fuse.
local function fused_names(also)
  return table.move(also or {}, 1, #(also or {}), #names + 1, table.move(names, 1, #names, 1, {}))
end

-- Returns the condition that a product on the way is beyond the type although its operands are finite, and the results
-- that a device may give then. `factor`: what the product is multiplied by; nil: it is added to `added`.
function words.product_overflows(product, factor, added)
  local infinity = words.choose(words.lt(product, 0), -words.inf, words.inf)
  return words.both(words.gt(words.abs(product), words.largest), words.lt(words.abs(product), words.inf)),
    { { "infinity", factor and infinity * factor or infinity + added } }
end

-- Returns the value of an activation, and its tolerances by type unless the bound is 0. `get` gives an attribute: it is
-- `attribute` for an activation that is an operator of its own, `member` for a fused one.
function words.activation(name, x, get)
  local f = functions[name]
  if not f then error(("activation: '%s' is not known"):format(tostring(name)), 2) end
  if not f.bound then return { f.value(x, get) } end
  local function bound(u, hard, once)
    local error = f.bound(x, get, u, words.function_errors(u, hard), words)
    local flushed = words.smallest_normal * words.choose(words.is_inf(x), 1, words.max(1, words.abs(x)))
    return words.choose(words.eq(error, 0), 0, error + flushed + (once or 0))
  end
  local single, half = bound(0x1p-24), bound(0x1p-24, false, words.ulp(1))
  return {
    f.value(x, get),
    FLOAT32 = { soft = single, must = bound(0x1p-24, true) },
    FLOAT16 = { soft = half, must = words.max(half, bound(0x1p-11, true)) },
  }
end

-- The activations that a recurrence takes, and the most that the value changes by if x changes by `e`.
local function at_most(slope) return function(_, get, e) return slope(get) * e end end
local function at_one() return 1 end
local function of_alpha(get) return words.abs(get "Alpha") end
local changes = {
  RELU = at_most(at_one), TANH = at_most(at_one), SOFTSIGN = at_most(at_one), SOFTPLUS = at_most(at_one),
  SIGMOID = at_most(function() return 0.25 end), HARD_SIGMOID = at_most(of_alpha),
  LEAKY_RELU = at_most(function(get) return words.max(1, of_alpha(get)) end),
  ELU = at_most(function(get) return words.max(1, of_alpha(get)) end),
  SCALED_TANH = at_most(function(get) return words.abs(get "Alpha" * get "Beta") end),
  THRESHOLDED_RELU = function(x, get, e) -- it jumps at Alpha
    return words.choose(words.le(words.abs(x - get "Alpha"), e), words.abs(x) + e, e)
  end,
}
local members = { LEAKY_RELU = "Alpha", THRESHOLDED_RELU = "Alpha", SCALED_TANH = "Alpha Beta",
  HARD_SIGMOID = "Alpha Beta", ELU = "Alpha", SOFTPLUS = "Steepness" }
local listed = { "RELU", "LEAKY_RELU", "THRESHOLDED_RELU", "TANH", "SCALED_TANH", "SIGMOID", "HARD_SIGMOID", "ELU",
  "SOFTSIGN", "SOFTPLUS" }

-- Returns the numbers of the activations that a recurrence takes; `more`: of all that can be fused.
function words.recurrent_activations(more)
  local found = {}
  for _, name in ipairs(more and names or listed) do
    found[#found + 1] = words.operator_number(more and name or "ACTIVATION_" .. name)
  end
  table.sort(found)
  return found
end

-- Returns what activation `index` of the array `field` makes of x, which a device may miss by `e`: the value, and two
-- errors of arithmetic with unit roundoff `u`: the device's own, and the one that `e` causes. The own one is infinite
-- where any value is right: with attributes that are not finite, and with a SOFTPLUS whose Steepness is not above 0.
function words.listed_activation(field, index, x, e, u)
  local type, errors = words.type_of(field, index), words.function_errors(u)
  local value, own, passed = words.nan, words.inf, words.inf -- of an operator that is none of them
  for i = #listed, 1, -1 do
    local name, valid = "ACTIVATION_" .. listed[i], 1
    local function get(member) return words.member_of(field, index, name, member) end
    for _, member in ipairs { "Alpha", "Beta", "Steepness" } do
      if members[listed[i]] and string.find(members[listed[i]], member, 1, true) then
        valid = words.both(valid, words.lt(words.abs(get(member)), words.inf))
      end
    end
    if listed[i] == "SOFTPLUS" then valid = words.both(valid, words.gt(get "Steepness", 0)) end
    local f = functions[name]
    local y = f.value(x, get)
    local function ulp(n) return 2 * n * u * words.abs(y) end
    local bound = f.bound and f.bound(x - e, get, u, errors, { y = y, ulp = ulp }) or 0
    local is = words.eq(type, words.operator_number(name))
    value = words.choose(is, y, value)
    own = words.choose(is, words.choose(valid, bound, words.inf), own)
    passed = words.choose(is, changes[listed[i]](x, get, e), passed)
  end
  return value, own, passed
end

-- Returns the results of an operator with a FusedActivation, one for each activation. `family`: { VALUE, output =,
-- field =, error = a bound on the value's error before the activation, also = { "ELEMENT_WISE_CLIP" } if the operator
-- can fuse that, and tolerances for no activation }.
function words.fused_results(family)
  local value, results = family[1], {}
  local plain = { value, by = family.field, FLOAT32 = family.FLOAT32, FLOAT16 = family.FLOAT16 }
  results[1] = words.result(family.output) (plain)
  for _, name in ipairs(fused_names(family.also)) do
    local result = words.activation(name, value, words.member)
    result[1] = functions[name].value(words.within(value, family.error), words.member)
    result.by, result.activation = family.field, name
    results[#results + 1] = words.result(family.output) (result)
  end
  return results
end

-- Returns, for an outcome of results that fused_results made, the activation of x; x itself without an activation.
function words.activated(x)
  local formulas = {}
  for _, name in ipairs(fused_names { "ELEMENT_WISE_CLIP" }) do formulas[name] = functions[name].value(x, words.member) end
  return words.by_activation(x, formulas)
end

-- Returns the rules of a FusedActivation. A device may accept activations of a higher level, and the softmax kinds.
-- `since`: the level that introduced the operator, if that is not the first one. `also` is that of fused_results.
function words.fused_rules(field, page, since, also)
  local fused = fused_names(also)
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
    "ACTIVATION_RELU_GRAD", "ACTIVATION_SWISH", "ACTIVATION_HARD_SWISH",
  }
  local clips = false
  for _, name in ipairs(fused) do clips = clips or name == "ELEMENT_WISE_CLIP" end
  if not clips then never[#never + 1] = "ELEMENT_WISE_CLIP" end
  local type, rule, when, one_of = words.operator_type(field), words.rule, words.when, words.one_of
  local given = words.present(field)
  local function without(name)
    local rest = {}
    for _, other in ipairs(fused) do if other ~= name then rest[#rest + 1] = other end end
    return rest
  end
  local function is(name) return one_of(type, { words.operator_number(name) }) end
  local found = {
    rule "fused-type" { when(given, one_of(type, numbers(fused, softmax, never))), page = page,
      text = ("the type of %s must be an activation that can be fused"):format(field) },
    rule "fused-never" { when(words.all_of(given, one_of(type, numbers(fused, softmax, never))),
        one_of(type, numbers(fused, softmax))), strength = "soft", page = page,
      text = ("the type of %s must not be HARDMAX, LOG_SOFTMAX, RELU_GRAD, SWISH%s"):format(field,
        clips and " or HARD_SWISH" or ", HARD_SWISH or CLIP") },
    rule "fused-softmax" {
      when(words.all_of(given, one_of(type, numbers(fused, softmax))), one_of(type, numbers(fused))),
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
      when(words.all_of(given, one_of(type, numbers(fused))), one_of(type, numbers(without(one)))),
      strength = "open", before = level, ruling = "E24", text = text:format(field) }
  end
  added("fused-shrink", "ACTIVATION_SHRINK", "the type of %s should not be SHRINK", "2_0")
  added("fused-celu", "ACTIVATION_CELU", "the type of %s should not be CELU", "3_0")
  added("fused-gelu", "ACTIVATION_GELU", "the type of %s should not be GELU", "5_1")
  if clips then
    added("fused-clip", "ELEMENT_WISE_CLIP", "the type of %s should not be CLIP", "6_0")
    found[#found + 1] = rule "fused-clip-scale-bias" {
      when(words.all_of(given, is "ELEMENT_WISE_CLIP"), words.equal(words.member_given(field, 2), 0)),
      strength = "open", page = page, text = ("the ScaleBias of a CLIP in %s should be null"):format(field) }
  end
  return found
end

-- The activation with the highest number at each feature level that added one. CLIP came last and has a lower number.
local newest = { "ACTIVATION_THRESHOLDED_RELU", "ACTIVATION_SHRINK", "ACTIVATION_CELU", "ACTIVATION_GELU" }

-- Returns situations in which the FusedActivation is the last one of a level's table: a device whose own table ends one
-- entry early rejects it.
function words.fused_situations(field)
  local found = {}
  for i, name in ipairs(newest) do
    local short = string.lower(string.gsub(name, "ACTIVATION_", ""))
    found[i] = words.situation("fused-" .. string.gsub(short, "_", "-")) { words.present(field), each_level = true,
      text = ("%s is %s"):format(field, string.gsub(name, "ACTIVATION_", "")),
      words.one_of(words.operator_type(field), { words.operator_number(name) }) }
  end
  return found
end

-- Returns behaviours for the activations that leave a choice. They are about `value`, of the output `of` if there are
-- several; `also` is that of fused_results. `may_be_nan`: the condition that a device may have a NaN in place of `value`.
function words.fused_behaviours(value, of, also, may_be_nan)
  local overflows = words.choose(words.gt(words.u, 0x1p-20), 11, 88) -- t at which e^t overflows FLOAT16, FLOAT32
  local found = {}
  local function add(id, one, text, strength, when, gives, ruling)
    found[#found + 1] = words.behaviour(id) { strength = strength, ruling = ruling or "E25", when = when, gives = gives,
      of = of, activation = string.find(one, "^ELEMENT_WISE") and one or "ACTIVATION_" .. one, text = text }
  end
  local overflows_first, infinity = words.product_overflows(words.member "Alpha" * value, nil, words.member "Beta")
  local is_nan = may_be_nan and words.either(words.is_nan(value), may_be_nan) or words.is_nan(value)
  local function nan_of(id, one, gives, also_is)
    add("nan-" .. id, one, "the activation of a NaN is a NaN, or the value of its limits or its last branch", "open",
      also_is and words.either(is_nan, also_is) or is_nan, gives)
  end
  local kept, zero = { "propagated", words.nan }, { "0", 0 }
  nan_of("relu", "RELU", { kept, zero })
  nan_of("celu", "CELU", { kept, zero })
  nan_of("thresholded-relu", "THRESHOLDED_RELU", { kept })
  nan_of("shrink", "SHRINK", { kept })
  -- The sum may also be 0 times infinity, or a product that overflows and the opposite infinity.
  nan_of("hard-sigmoid", "HARD_SIGMOID", { kept, zero, { "1", 1 } },
    words.either(words.is_nan(words.member "Alpha" * value + words.member "Beta"),
      words.both(overflows_first, words.is_inf(words.member "Beta"))))
  add("celu-alpha", "CELU", "CELU with an Alpha of 0 gives any value", "open", words.eq(words.member "Alpha", 0),
    "anything")
  add("celu-overflow", "CELU", "with an Alpha below 0, e^t within CELU may become an infinity", "open",
    words.both(words.lt(value, 0), words.gt(value / words.member "Alpha", overflows)),
    { { "infinity", words.member "Alpha" * words.inf } })
  add("linear-overflow", "LINEAR", "where the product of LINEAR is beyond the type, it may be an infinity", "open",
    overflows_first, infinity, "N20")
  local factors_overflow, infinite = words.product_overflows(words.member "Gamma" * words.member "Alpha",
    words.expm1(value))
  add("scaled-elu-overflow", "SCALED_ELU",
    "where Gamma times Alpha is beyond the type, SCALED_ELU may be a multiple of an infinity", "open",
    words.both(words.le(value, 0), factors_overflow), infinite, "N20")
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
  for _, name in ipairs(also or {}) do
    if name == "ELEMENT_WISE_CLIP" then
      nan_of("clip", name, { kept, { "Min", words.member "Min" } })
      add("clip-order", name, "with a Min above Max, or a limit that is a NaN, CLIP gives any value", "open",
        words.negated(words.le(words.member "Min", words.member "Max")), "anything")
    end
  end
  return found
end
