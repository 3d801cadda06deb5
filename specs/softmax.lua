-- SOFTMAX family: each element is normalised by its slice, the elements with the same coordinates outside of some axes.
-- The operators of 1_0 use the last dimension, the operators of 5_1 have Axes.

local D, x = dims "InputTensor", element "InputTensor"
local single, several = D - 1, list "Axes" -- the dimensions of a slice

-- Returns the folds over a slice; `axes` are its dimensions.
local function slices(axes)
  local own = replace(filled(0, D), axes, 1) -- 1 in the axes, 0 in the other dimensions
  local extent = (sizes "InputTensor" - 1) * own + 1
  local function over_slice(fold, formula, fields)
    fields = fields or {}
    fields.sizes, fields.fold, fields[1] = extent, fold, formula
    fields.at = { InputTensor = place "OutputTensor" * (1 - own) + step(extent) }
    return over(fields)
  end
  local s = { count = product(extent), over = over_slice, greatest = over_slice("max", x) }
  s.n = part(s.greatest, "count")
  s.t = x - s.greatest
  s.sum = over_slice("sum", exp(s.t))
  -- t is limited, since e^t times an infinite t would be a NaN.
  s.distance = abs(max(s.t, -1000))
  -- The errors of all powers in unit roundoffs, before the division by the sum: the relative error of a power is
  -- 8 + 2|t|, and that of a rounded t adds 2|t|. A device whose e^0 is less exact has at most that much more.
  s.errors = over_slice("sum", exp(s.t) * (8 + 4 * s.distance))
  s.error = function(u_, e) return u_ * s.errors / s.sum + (e.least_exp - 8 * u_) end
  return s
end

local function softmax(s)
  local value = exp(s.t) / s.sum
  local result = composite(function(u_, e)
    return value * (e.exp(s.distance) + s.error(u_, e) + u_ * (2 * s.distance + s.n + 4))
  end)
  result[1] = value
  return result, { nothing = 0, even = 1 / s.n, share = within(0.5, 0.5) }
end

local function log_softmax(s)
  local logarithm = log(s.sum)
  local result = composite(function(u_, e)
    return s.error(u_, e) + e.log(logarithm) + u_ * (s.n + 2 + 2 * (abs(s.t) + abs(y)))
  end)
  result[1] = s.t - logarithm
  return result, { nothing = -inf, even = -log(s.n), share = log(within(0.5, 0.5)) }
end

local function hardmax(s)
  local first = s.over("place_of_max", x)
  local strict = s.over("place_of_max", x, { signed_zeros = true })
  local function one_at(place) return choose(eq(place, part(place, "own")), 1, 0) end
  return { one_at(first) }, {
    behaviour "nan" { text = "with NaNs, each element may be 1, 0 or a NaN", strength = "open", ruling = "N13",
      when = gt(part(first, "nans"), 0), gives = { { "one", 1 }, { "none", 0 }, { "propagated", nan } } },
    behaviour "tie-of-zeros" { text = "-0 and +0 are equal", strength = "soft", ruling = "S7", when = ne(first, strict),
      gives = { { "signed", one_at(strict) } } },
  }
end

-- Returns the behaviours for elements that are not finite.
local function not_finite(s, limits)
  local infinite = is_inf(s.greatest)
  return {
    behaviour "nan" { text = "a NaN turns its whole slice into NaNs", strength = "soft", ruling = "N13",
      when = gt(part(s.greatest, "nans"), 0), gives = { { "share", limits.share } } },
    behaviour "infinity" { text = "an infinity turns its whole slice into NaNs or any values", strength = "open",
      ruling = "N13", when = both(infinite, gt(s.greatest, 0)), gives = "anything" },
    behaviour "minus-infinities" {
      text = "the elements of a slice of minus infinities may be NaNs, have no share or equal shares",
      strength = "open", ruling = "N13", when = both(infinite, lt(s.greatest, 0)),
      gives = { { "nothing", limits.nothing }, { "even", limits.even } } },
  }
end

local function rules_of(page, axes)
  return {
    axes == several and {
      rule "axes-given" { present "Axes", text = "Axes must be given", strength = "soft", ruling = "B10" },
      rule "axes-range" { between(axes, 0, D - 1), page = page },
      rule "axes-unique" { at_most(attr "AxisCount", D), distinct(axes), strength = "soft", ruling = "S5" },
      rule "axes-count" { at_least(attr "AxisCount", 1), strength = "open", ruling = "S5" },
    } or rule "effective-rank" { at_most(effective_rank "InputTensor", 2), page = page },
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-sizes" { same "Sizes", page = page, ruling = "E1" },
    rule "same-type" { same "DataType", page = page },
  }
end

-- `text` describes an element, `large` the effect of large elements.
local function reduces(name, axes, function_of, text, large, examples)
  local page, s = "DML_" .. name, slices(axes)
  local made, others = function_of(s)
  local behaviours = {
    behaviour "slices" { text = text, page = page, ruling = axes == several and "N10, N12, S9" or "N10, N12" },
    behaviour "large" { text = large, page = page, ruling = "N11" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  }
  if function_of ~= hardmax then others = not_finite(s, others) end
  for _, one in ipairs(others) do behaviours[#behaviours + 1] = one end
  for _, one in ipairs(examples) do
    one.page = one.page and page
    one.ruling = one.ruling or not one.page and "E12" or nil
  end
  return operator(name) {
    parameters = axes == several and { { "d", D }, { "n", attr "AxisCount" } } or { { "d", D } },
    rules = rules_of(page, axes), slice = s.count,
    situations = { shape_situations("InputTensor", { highest = axes == single and 2 or nil }),
      rows_along(axes == several and entry(axes, 0) or -1, axes == several) },
    results = { result "OutputTensor" (made) }, behaviours = behaviours, examples = examples,
    domains = { InputTensor = { -8, 8 } },
  }
end

local soft_text = "each element is e^x, divided by the sum of e^x over its slice"
local log_text = "each element is the logarithm of e^x divided by the sum of e^x over its slice"
local hard_text = "each element is 1 if it is the first maximum of its slice in row-major order, otherwise 0"
local no_overflow = "only the differences of elements matter: no power overflows, and no logarithm has the argument 0"
local far_apart = "exactly one element of each slice is 1, however large or close the elements are"

local two_rows, one_row = { 0, 1, 2, 3, 10000, 10001, 10002, 10003 }, { 0, 1, 2, 3 }
local parts = { 0.0320586, 0.08714432, 0.2368828, 0.6439143 }
local logarithms = { -3.44018970, -2.44018970, -1.44018970, -0.440189699 }
local above = { 200, 201, 202, 203 } -- whose powers are beyond the type
local page_input = { "FLOAT32", { 2, 2, 2 }, { 12, 0, -101, 11, 3, 234, 0, -101 } }

local function twice(values)
  local both_rows = {}
  for i = 1, 2 * #values do both_rows[i] = values[(i - 1) % #values + 1] end
  return both_rows
end

local function large(outputs)
  return example "large" { InputTensor = { "FLOAT32", { 1, 1, 2, 4 }, two_rows },
    OutputTensor = { "FLOAT32", { 1, 1, 2, 4 }, twice(outputs) } }
end

-- Makes an example of slices of three elements, some of which are not finite.
local function special(inputs, outputs)
  local shape = { #inputs // 3, 3 }
  return example "special" { InputTensor = { "FLOAT32", shape, inputs }, OutputTensor = { "FLOAT32", shape, outputs } }
end

local function half(outputs)
  return example "large-half" { InputTensor = tensor("FLOAT16", above), OutputTensor = tensor("FLOAT16", outputs) }
end

local function half_over(outputs)
  return example "large-half" { AxisCount = 1, Axes = { 3 }, InputTensor = tensor("FLOAT16", above),
    OutputTensor = tensor("FLOAT16", outputs) }
end

-- Makes an example of the page; `ruling` is the ruling about its values.
local function of_page(id, axes, outputs, ruling)
  return example(id) { page = true, ruling = ruling, AxisCount = #axes, Axes = axes, InputTensor = page_input,
    OutputTensor = { "FLOAT32", { 2, 2, 2 }, outputs } }
end

local function square(id, axes, inputs, outputs)
  return example(id) { AxisCount = #axes, Axes = axes, InputTensor = { "FLOAT32", { 2, 2 }, inputs },
    OutputTensor = { "FLOAT32", { 2, 2 }, outputs } }
end

return {
  define("ACTIVATION_SOFTMAX", reduces, single, softmax, soft_text, no_overflow, { large(parts), half(parts),
    special({ 1, -inf, 1 }, { 0.5, 0, 0.5 }) }),
  define("ACTIVATION_LOG_SOFTMAX", reduces, single, log_softmax, log_text, no_overflow, {
    large(logarithms), half(logarithms), special({ 1, -inf, -inf }, { 0, -inf, -inf }),
  }),
  define("ACTIVATION_HARDMAX", reduces, single, hardmax, hard_text, far_apart, {
    example "ties" { InputTensor = { "FLOAT32", { 2, 4 }, { 1, 3, 3, 2, 5, 5, 5, 5 } },
      OutputTensor = { "FLOAT32", { 2, 4 }, { 0, 1, 0, 0, 1, 0, 0, 0 } } },
    half { 0, 0, 0, 1 }, special({ -inf, -inf, -inf, -0.0, 0, -1 }, { 1, 0, 0, 1, 0, 0 }),
  }),
  define("ACTIVATION_SOFTMAX1", reduces, several, softmax, soft_text, no_overflow, {
    square("both", { 0, 1 }, { 1, 2, 3, 4 }, parts),
    square("columns", { 0 }, { 0, 3, 0, 3 }, { 0.5, 0.5, 0.5, 0.5 }),
    half_over(parts),
  }),
  define("ACTIVATION_LOG_SOFTMAX1", reduces, several, log_softmax, log_text, no_overflow, {
    of_page("middle", { 1 }, { 0, -11.0000167, -113, -0.0000167015613, -0.0485873516, 0, -3.04858735, -335 }, "N14"),
    of_page("first", { 0 }, { -0.000123402190, -234, -101, 0, -9.0001234, 0, 0, -112 }, "N14"),
    of_page("two", { 0, 2 }, { -222, -234, -112.000017, -0.0000167015613, -231, 0, -11.0000167, -112.000017 }, "N14"),
    square("both", { 0, 1 }, one_row, logarithms), half_over(logarithms),
  }),
  define("ACTIVATION_HARDMAX1", reduces, several, hardmax, hard_text, far_apart, {
    of_page("middle", { 1 }, { 1, 0, 0, 1, 1, 1, 0, 0 }), of_page("first", { 0 }, { 1, 0, 0, 1, 0, 1, 1, 0 }),
    of_page("two", { 0, 2 }, { 0, 0, 0, 1, 0, 1, 0, 0 }),
    of_page("two-backwards", { 2, 0 }, { 0, 0, 0, 1, 0, 1, 0, 0 }),
    square("ties", { 0, 1 }, { 1, 3, 3, 2 }, { 0, 1, 0, 0 }), half_over { 0, 0, 0, 1 },
  }),
}
