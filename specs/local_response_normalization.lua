-- LOCAL_RESPONSE_NORMALIZATION divides each element by a power of S, which is computed from Bias and the squares in a
-- window around the element. The gradient of an element sums over all windows that contain the element.

local X, D = "InputTensor", "InputGradientTensor"
local x, d = element(X), element(D)
local alpha, beta, bias, n = attribute "Alpha", attribute "Beta", attribute "Bias", attribute "LocalSize"
local crosses = ne(attribute "CrossChannel", 0)

-- ---- windows: a number of elements before and after an element along each dimension, clipped at the tensor's ends

local length, last = attr "LocalSize", sizes(X) - 1
local across = 1 - is(attr "CrossChannel", 0)
local along = concat(0, across, 1 - across, 1 - across) -- 1: the window extends in this dimension
local before, after = least((length - 1) // 2, last) * along, least(length // 2, last) * along
local even = 1 - length % 2

-- Returns the steps of a window and their coordinates. `count` scales the length of the window; 0 makes it one element.
local function window(out, low, high, count)
  local steps = (low + high) * (count or 1) + 1
  return { sizes = steps, place = place(out) + step(steps) - low }
end

local function squares(out, low, high, count)
  local w = window(out, low, high, count)
  return over { sizes = w.sizes, at = { [X] = w.place }, fold = "sum", x * x }
end

-- ---- S and its errors

local function base(sum, divisor)
  return bias + alpha / (divisor or n) * sum
end
local scale = abs(alpha / n)
local negative = either(lt(alpha, 0), lt(bias, 0)) -- terms of S may cancel

-- Returns the relative error of S^power in unit roundoffs: the errors of a sum of `count` squares, which may be
-- flushed, 1.5 times the error of a logarithm, and the error of an exponential; with `limits`, that of a power.
local function of_power(power, S, count, limits)
  local ln, cancelled = abs(log(S)), 1 + choose(negative, 2 * abs(bias) / abs(S), 0)
  local flushed = smallest_normal / u * scale * count / abs(S)
  local exact = abs(power) * (12 * max(1, ln) + 2 * ln) + 8
  return abs(power) * ((count + 4) * cancelled + flushed) + (limits and max(exact, 2 * limits.pow(S, power)) or exact)
end

-- True if S is finite, and is not positive, or S or its power is beyond the type, or the relative error is not small.
local function out_of_range(power, S, peak, count)
  local base_is = either(lt(S, smallest_normal), gt(max(max(S, peak), abs(alpha) * peak + abs(bias)), largest))
  local power_is = both(either(lt(S, 1), lt(beta, 0)), gt(abs(power * log(S)), -log(smallest_normal)))
  return both(lt(S, inf), either(either(base_is, power_is), gt(u * of_power(power, S, count), 0.5)))
end

-- The relative change of S^power if the attributes are rounded to FLOAT16 first.
local inexact_attributes = either(ne(cast "Alpha", alpha), either(ne(cast "Beta", beta), ne(cast "Bias", bias)))
local function of_attributes(power, S)
  local cancelled = 1 + choose(negative, 2 * abs(bias) / abs(S), 0)
  return choose(inexact_attributes, 0x1p-11 * (abs(power) * (cancelled + abs(log(S))) + 2), 0)
end

-- In FLOAT16, Alpha / LocalSize may be flushed to 0, which removes the part `share` of S.
local function of_scale(power, share) return choose(lt(scale, 0x1p-14), abs(power) * share, 0) end

-- Returns the tolerance that `composite` makes of a bound; FLOAT16 adds `coarse`, the error of the attributes, and
-- `lost`.
local function tolerances(bound, floor, coarse, lost)
  local found = composite(bound, floor)
  found.FLOAT16.soft, found.FLOAT16.must = found.FLOAT16.soft + coarse, found.FLOAT16.must + coarse + lost
  return found
end

-- ---- rules and behaviours of both operators

local function rules(page)
  return {
    rule "local-size" { at_least(length, 1), page = page },
    rule "same-type" { same "DataType", page = page },
    rule "same-sizes" { same "Sizes", page = page },
    rule "attributes-finite" { finite(attr "Alpha"), finite(attr "Beta"), finite(attr "Bias"), strength = "open",
      ruling = "N1", text = "the attributes are finite numbers" },
    rule "attributes-positive" { above(attr "Alpha", 0.0), above(attr "Beta", 0.0), above(attr "Bias", 0.0),
      strength = "open", ruling = "N35", text = "the attributes are positive numbers" },
  }
end

local function open(id, text, ruling, when, gives)
  return behaviour(id) { text = text, strength = "open", ruling = ruling, when = when, gives = gives or "anything" }
end

local function behaviours(more)
  local is_finite = lt(abs(alpha) + abs(beta) + abs(bias), inf)
  local found = {
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    behaviour "nans" { text = "a NaN makes a result NaN only if it is in the window of the result", ruling = "E6" },
    open("not-finite", "attributes that are not finite may give any value", "N35", negated(is_finite)),
  }
  for _, one in ipairs(more) do found[#found + 1] = one end
  return found
end

local text_of_windows = "with an even LocalSize, the additional element of a window may be the first element"
local text_of_divisor = "with CrossChannel FALSE, the sum of squares may be divided by the square of LocalSize"
local is_even, is_squared = eq(n - 2 * floor(n / 2), 0), both(negated(crosses), gt(n, 1))

local parameters = { { "d", dims(X) } }
local function values_of_attributes() return value_situations "nan minus-infinite infinite minus-zero zero" end

-- Windows with more elements than fit into an array of 16 or 32, in tensors with more elements than that.
local function long_windows()
  local found = {}
  for _, past in ipairs { 16, 32 } do
    local low, high = past + 1, past + 3
    found[#found + 1] = situation("channels-past-" .. past) { between(length, low, high), equal(attr "CrossChannel", 1),
      text = ("windows have more than %d channels, and there are more channels than that"):format(past),
      at_least(size(X, 1), high + 2) }
    found[#found + 1] = situation("columns-past-" .. past) { between(length, low, high), equal(attr "CrossChannel", 0),
      text = ("windows have more than %d columns, and there are more columns than that"):format(past),
      at_least(size(X, -1), high + 2) }
    found[#found + 1] = situation("rows-past-" .. past) { between(length, low, high), equal(attr "CrossChannel", 0),
      text = ("windows have more than %d rows, and there are more rows than that"):format(past),
      at_least(size(X, -2), high + 2) }
  end
  return found
end

-- ---- LOCAL_RESPONSE_NORMALIZATION

local function forward()
  local page, out = "DML_LOCAL_RESPONSE_NORMALIZATION", "OutputTensor"
  local sum, mirrored = squares(out, before, after), squares(out, after, before, even)
  local S = named(base(sum), "S")
  local function reading(of_sum, divisor) return x / pow(base(of_sum, divisor), beta) end
  local value = x / pow(S, beta)
  value.text = ("%s / S^Beta, S = Bias + Alpha / LocalSize * the sum of the squares in the window"):format(X)
  local found = tolerances(function(u_, e) return abs(y) * u_ * (of_power(beta, S, part(sum, "count"), e.limits) + 4) end,
    max(1, max(abs(x), abs(alpha))), abs(y) * of_attributes(beta, S), abs(y) * of_scale(beta, scale * sum / abs(S)))
  found[1] = value
  local function normalised(id, cross, local_size, attributes, shape, input, output)
    return example(id) { ruling = "E12", InputTensor = { "FLOAT32", shape, input }, OutputTensor = { "FLOAT32", shape, output },
      CrossChannel = cross, LocalSize = local_size, Alpha = attributes[1], Beta = attributes[2], Bias = attributes[3] }
  end
  local four, nine = { 1, 2, 3, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }
  return operator "LOCAL_RESPONSE_NORMALIZATION" {
    parameters = parameters, rules = rules(page),
    situations = { shape_situations(X), number_situations(X), values_of_attributes(), long_windows() },
    domains = { [X] = { -2, 2 } },
    results = { result(out) (found) },
    behaviours = behaviours({
      behaviour "normalises" { page = page, ruling = "E5, E10, N36",
        text = "each element is divided by S^Beta; the window covers channels if CrossChannel is TRUE, otherwise " ..
          "rows and columns" },
      behaviour "clipped" { text = "windows end at the end of the tensor; the divisor is always LocalSize", page = page,
        ruling = "N36" },
      open("even", text_of_windows, "N37", is_even, { { "mirrored", reading(mirrored) } }),
      open("even-squared", text_of_windows .. ", and the divisor the square of LocalSize", "N37, N38",
        both(is_even, is_squared),
        { { "both", reading(mirrored, n * n) } }),
      behaviour "squared" { text = text_of_divisor, strength = "soft", ruling = "N38", when = is_squared,
        gives = { { "squared", reading(sum, n * n) } } },
      open("range", "if squares, S or its power are beyond the type, or small errors become large, any value is right",
        "E11, N35, S3", out_of_range(beta, S, part(sum, "peak"), part(sum, "count"))),
      open("nothing-of-infinity", "if Alpha / LocalSize may be flushed to 0, an infinite sum may become a NaN",
        "E19, N35",
        both(lt(scale, smallest_normal), is_inf(sum)), { { "undefined", nan } }),
      open("power-of-nothing", "the power 0 of an infinite S or a NaN may be 1 or a NaN", "E19",
        both(eq(beta, 0), negated(lt(abs(S), inf))), { { "undefined", nan } }),
    }),
    examples = {
      normalised("channels", true, 3, { 3, 1, 1 }, { 1, 4, 1, 1 }, four, { 0.1666667, 0.1333333, 0.1, 0.1538462 }),
      normalised("root", true, 3, { 3, 0.5, 2 }, { 1, 4, 1, 1 }, four, { 0.3779645, 0.5, 0.5388159, 0.7698004 }),
      normalised("plane", false, 3, { 3, 1, 1 }, { 1, 1, 3, 3 }, nine, { 0.0212766, 0.02173913, 0.04, 0.025, 0.01748252,
        0.02727273, 0.04516129, 0.02941176, 0.04347826 }),
      normalised("apart", true, 3, { 3, 1, 1 }, { 2, 2, 1, 2 }, { 1, 2, 3, 4, 5, 6, 7, 8 },
        { 0.09090909, 0.0952381, 0.2727273, 0.1904762, 0.06666667, 0.05940594, 0.09333333, 0.07920792 }),
      normalised("one", false, 1, { 1, 1, 1 }, { 1, 1, 1, 4 }, four, { 0.5, 0.4, 0.3, 0.2352941 }),
      normalised("larger", true, 1000, { 1000, 1, 1 }, { 1, 4, 1, 1 }, four,
        { 0.03225806, 0.06451613, 0.09677419, 0.1290323 }),
      normalised("largest", false, 4294967295, { 1, 1, 2 }, { 1, 1, 1, 4 }, four, { 0.5, 1, 1.5, 2 }),
    },
  }
end

-- ---- LOCAL_RESPONSE_NORMALIZATION_GRAD

local function gradient()
  local page, out = "DML_LOCAL_RESPONSE_NORMALIZATION_GRAD", "OutputGradientTensor"
  local sum, mirrored = squares(out, before, after), squares(out, after, before, even)
  local factor = 2 * alpha * beta
  local function over_both(w, formula)
    return over { sizes = w.sizes, fold = "sum", at = { [X] = w.place, [D] = w.place }, formula }
  end
  -- Sums over all windows that contain an element: these are the mirror image of its own window. The inner fold sums
  -- along columns and is evaluated once for each of them; the outer fold sums along the other dimensions.
  local columns = concat(0, 0, 0, 1)
  local function over_windows(low, high, count, term)
    local inner = window(out, high * columns, low * columns, count)
    local outer = window(out, high * (1 - columns), low * (1 - columns), count)
    return over_both(outer, elsewhere(over_both(inner, term(inner.place)), outer.place))
  end
  local function weighted(low, high, count, of_sum, divisor)
    return over_windows(low, high, count, function(at)
      return d * x / pow(base(elsewhere(of_sum, at), divisor), beta + 1)
    end)
  end
  local function reading(low, high, count, of_sum, divisor)
    return d / pow(base(of_sum, divisor), beta) - factor / (divisor or n) * x * weighted(low, high, count, of_sum, divisor)
  end
  local power = abs(beta) + 1
  -- Infinite gradients have no error: these sums are without them.
  local finite = choose(is_inf(d), 0, abs(d * x))
  local products = over_windows(before, after, nil, function() return finite end)
  local terms = over_windows(before, after, nil, function(at) return finite / pow(base(elsewhere(sum, at)), beta + 1) end)
  -- The errors of all terms in unit roundoffs; infinite if a term is open.
  local errors = over_windows(before, after, nil, function(at)
    local S, count, peak = base(elsewhere(sum, at)), elsewhere(part(sum, "count"), at), elsewhere(part(sum, "peak"), at)
    local error = (finite * of_power(power, S, count) + smallest_normal / u) / pow(S, beta + 1) -- flushed
    return choose(either(out_of_range(power, S, peak, count), is_inf(S)), inf, error)
  end)
  local S, count = base(sum), part(sum, "count")
  local value = reading(before, after, nil, sum)
  value.text = ("%s / S^Beta - 2 * Alpha * Beta / LocalSize * %s * the sum of %s * %s / S^(Beta + 1) over the windows " ..
    "that contain the element"):format(D, X, D, X)
  local share = abs(factor / n * x)
  -- Infinite gradients: their number, and the number of those whose factor may count as 0.
  local infinite = over_windows(before, after, nil, function() return is_inf(d) end)
  local vanishing = over_windows(before, after, nil, function(at)
    local factor_of_d = min(abs(x), min(1, abs(x)) / pow(base(elsewhere(sum, at)), beta + 1))
    return choose(is_inf(d), lt(factor_of_d, smallest_normal), 0)
  end)
  local vanishes = either(gt(vanishing, 0), lt(min(share, min(scale, abs(factor / n))), smallest_normal))
  -- A device may multiply the element's own gradient by the derivative with respect to itself, which may be near 0.
  local direct, through = 1 / pow(S, beta), factor / n * x * x / pow(S, beta + 1)
  local own = direct - through
  local own_error = (abs(direct) + abs(through)) * (u * (of_power(power, S, count) + count + 8) + of_attributes(power, S)
    + of_scale(power, 1))
  local is_own, own_sign = is_inf(d), choose(lt(d, 0), -inf, inf)
  local most = max(2 * abs(alpha) * max(1, abs(beta)), (1 + share) * max(products, terms))
  local first, others = abs(d / pow(S, beta)), share * terms
  local function bound(u_) -- powers, products and Alpha * Beta / LocalSize may be flushed
    local rounded = first * of_power(power, S, count) + share * errors +
      (count + 6) * (first + others)
    local flushed = abs(d) + share * (products + count) + (1 + abs(x)) * terms
    return u_ * rounded + (u_ == 0x1p-24 and 0x1p-126 or 0x1p-14) * flushed
  end
  local found = tolerances(bound, max(1, max(abs(x), abs(alpha))), (first + others) * of_attributes(power, S),
    (first + others) * of_scale(power, 1))
  found[1] = value
  local function propagated(id, gradients, output, local_size)
    local shape = { 1, 4, 1, 1 }
    return example(id) { ruling = "E12, N39", InputTensor = { "FLOAT32", shape, { 1, 2, 3, 4 } }, CrossChannel = true,
      LocalSize = local_size or 3, Alpha = 3, Beta = 1, Bias = 1, InputGradientTensor = { "FLOAT32", shape, gradients },
      OutputGradientTensor = { "FLOAT32", shape, output } }
  end
  return operator "LOCAL_RESPONSE_NORMALIZATION_GRAD" {
    parameters = parameters, rules = rules(page),
    situations = { shape_situations(X), number_situations(X), values_of_attributes(), long_windows() },
    domains = { [X] = { -2, 2 }, [D] = { -8, 8 } },
    results = { result(out) (found) },
    behaviours = behaviours({
      behaviour "derives" { page = page, ruling = "N36, N39",
        text = "each element is the derivative of the sum over all normalised elements times their gradients" },
      open("even", text_of_windows, "N37", is_even, { { "mirrored", reading(after, before, even, mirrored) } }),
      open("even-squared", text_of_windows .. ", and the divisor the square of LocalSize", "N37, N38",
        both(is_even, is_squared),
        { { "both", reading(after, before, even * (1 - across), mirrored, n * n) } }),
      behaviour "squared" { text = text_of_divisor, strength = "soft", ruling = "N38", when = is_squared,
        gives = { { "squared", reading(before, after, 1 - across, sum, n * n) } } },
      open("range", "if a neighbouring S is infinite, or S or its power is beyond the type, any value is right",
        "E11, N35, S3",
        gt(part(errors, "infinities"), 0)),
      open("products", "if products of elements and gradients are beyond the type, any value is right", "S3, N35",
        both(eq(infinite, 0), both(lt(most, inf), gt(most, largest)))),
      open("products-infinite", "if products are beyond the type, or factors may count as 0, an infinite gradient " ..
        "beside them may give a NaN", "S3, N35",
        both(gt(infinite, 0), either(vanishes, gt(most, largest))), { { "undefined", nan } }),
      open("own-infinite", "the product of an infinite gradient and its own derivative may be an infinity", "N20",
        both(is_own, ge(own, -own_error)), { { "same", own_sign } }),
      open("own-infinite-negated", "the same with a derivative below 0", "N20",
        both(is_own, le(own, own_error)), { { "opposite", -own_sign } }),
    }),
    examples = {
      propagated("one", { 1, 0, 0, 0 }, { 0.1111111, -0.1111111, 0, 0 }),
      propagated("all", { 1, 1, 1, 1 }, { 0.09333333, -0.09333333, -0.07550296, -0.03554241 }),
      propagated("own", { 1, 1, 1, 1 }, { -0.125, -0.06508876, -0.03316327, -0.01957518 }, 1),
    },
  }
end

return {
  define("LOCAL_RESPONSE_NORMALIZATION", forward), define("LOCAL_RESPONSE_NORMALIZATION_GRAD", gradient),
}
