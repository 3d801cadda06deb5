-- Reductions: each output element is computed from the input elements with the same coordinates outside of Axes.

local D = dims "InputTensor"
local reduced = sizes "InputTensor" - sizes "OutputTensor" + 1 -- 1 outside of Axes
local x = element "InputTensor"

local function over_axes(fold, formula, fields)
  fields = fields or {}
  fields.sizes, fields.fold, fields[1] = reduced, fold, formula
  fields.at = { InputTensor = place "OutputTensor" + step(reduced) }
  return over(fields)
end

local function axes_rules(page)
  return {
    rule "axes-given" { present "Axes", text = "Axes must be given", strength = "soft", ruling = "B10" },
    rule "axes-range" { between(list "Axes", 0, D - 1), page = page },
    rule "axes-unique" { at_most(attr "AxisCount", D), distinct(list "Axes"), strength = "soft", ruling = "S5" },
    rule "axes-count" { at_least(attr "AxisCount", 1), strength = "open", ruling = "S5" },
    rule "same-dims" { same "DimensionCount", page = page },
    rule "output-sizes" { equal(sizes "OutputTensor", replace(sizes "InputTensor", list "Axes", 1)), page = page },
  }
end

-- Returns the fold for the index of the extreme, and the behaviours that accept other indices.
local function place_choices(fold, last, given)
  local f = over_axes(fold, x, { last = last })
  local strict = over_axes(fold, x, { last = last, signed_zeros = true })
  return f, {
    behaviour "place-of-nan" { text = "with NaNs, the index may be that of a NaN or of the extreme of the numbers",
      strength = "open", ruling = "S4", given = given, when = gt(part(f, "nans"), 0),
      gives = { { "first", part(f, "first_nan") }, { "last", part(f, "last_nan") } } },
    behaviour "place-of-nans" { text = "if all elements are NaNs, any index is right",
      strength = "open", ruling = "S4", given = given,
      when = both(gt(part(f, "nans"), 0), eq(part(f, "nans"), part(f, "count"))),
      gives = { { "index", within((part(f, "count") - 1) / 2, (part(f, "count") - 1) / 2) } } },
    behaviour "tie-of-zeros" { text = "-0 and +0 are equal", strength = "soft", ruling = "S7", given = given,
      when = ne(f, strict), gives = { { "signed", strict } } },
  }
end

-- ---- ARGMIN and ARGMAX

local function arg(name, fold, examples)
  local page = "DML_" .. name
  local function ends(which, direction)
    return situation("ends-" .. which) { text = "all elements of a row are one infinity, or one end of the integers, " ..
      "and the index of the " .. which .. " is wanted", fill = "least greatest", equal(attr "AxisDirection", direction),
      at_least(size("InputTensor", entry(list "Axes", 0)), 3) }
  end
  local long = at_least(size("InputTensor", entry(list "Axes", 0)), 65539)
  local f, choices = place_choices(fold, attr "AxisDirection")
  local behaviours = {
    behaviour "place" { text = "each element is the row-major index, along Axes, of the extreme element", page = page,
      ruling = "S9" },
    behaviour "ties" { text = "AxisDirection selects the first or the last of equal elements", page = page },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  }
  for _, one in ipairs(choices) do behaviours[#behaviours + 1] = one end
  return {
    groups = { "data", "place" },
    parameters = { { "d", D }, { "n", attr "AxisCount" } },
    rules = { axes_rules(page),
      rule "direction" { one_of(attr "AxisDirection", { 0, 1 }), strength = "soft", ruling = "S6" } },
    situations = { shape_situations "InputTensor", rows_along(entry(list "Axes", 0), true),
      ends("first", 0), ends("last", 1),
      situation "last-past-65536" { text = "the last of more than 65536 equal elements of a row is wanted",
        fill = "constant", equal(attr "AxisDirection", 1), long },
      name == "ARGMAX" and situation "greatest-past-65536" { fill = "spikes", long,
        text = "the last element of a row of more than 65536 is the greatest one" } or {} },
    behaviours = behaviours, results = { result "OutputTensor" { f } }, examples = examples(page),
  }
end

local matrix = { "FLOAT32", { 3, 3 }, { 1, 2, 3, 3, 0, 4, 2, 5, 2 } }

local function places(page, id, axes, sizes, values)
  return example(id) { page = page, InputTensor = matrix, AxisCount = #axes, Axes = axes, AxisDirection = 0,
    OutputTensor = { "UINT32", sizes, values } }
end

local function tie(page, direction, values, at)
  return example(direction == 0 and "first" or "last") { page = page, InputTensor = { "FLOAT32", { 5 }, values },
    AxisCount = 1, Axes = { 0 }, AxisDirection = direction, OutputTensor = { "UINT32", { 1 }, { at } } }
end

-- ---- REDUCE

local sum, product = over_axes("sum", x), over_axes("product", x)
local magnitudes, squares = over_axes("sum", abs(x)), over_axes("sum", x * x)
local least, greatest_one = over_axes("min", x), over_axes("max", x)

-- ln Σ e^x is m + ln Σ e^(x - m) for a finite m; the latter does not overflow.
local m = choose(is_inf(greatest_one), 0, greatest_one)
local powers = over_axes("sum", exp(x - m))
local exp_errors = over_axes("sum", exp(x - m) * (3 + 2 * max(abs(x), abs(x - m))))
local sum_exp = m + log(powers)

local function of_sum(make, f, steps)
  local narrow, wide = roundings(f, steps)
  return make(within(f, narrow)), { "rounded", make(within(f, wide)) }
end

local function log_sum_exp(exact)
  local narrow, wide = roundings(powers, 1)
  return m + log(within(powers, exact and narrow + 0x1p-23 * exp_errors or wide + 0x1p-10 * exp_errors))
end

local l2, l2_wide = of_sum(sqrt, squares, 1)
local log_sum, log_sum_wide = of_sum(log, sum)

-- Beside the errors of the sums: those of the logarithm, and of the square root.
local single, half = function_limits(0x1p-24), function_limits(0x1p-11)
local log_error = { FLOAT32 = { soft = ulp(4) + 0x1p-21, must = ulp(4) + 0x1p-18 + single.log },
  FLOAT16 = { soft = ulp(1) + 0x1p-21, must = ulp(4) + 0x1p-8 } }
local root_error = { FLOAT32 = { soft = ulp(2), must = ulp(single.sqrt) },
  FLOAT16 = { soft = ulp(2), must = ulp(half.sqrt) } }

local function function_result(given, formula, tolerance, domain)
  return result "OutputTensor" { formula, given = given, domain = domain,
    FLOAT32 = tolerance and tolerance.FLOAT32, FLOAT16 = tolerance and tolerance.FLOAT16 }
end

local function of_floats(id, f, alternative, ...)
  return behaviour(id) { text = "sums of FLOAT16 elements are computed in FLOAT32 or better", strength = "soft",
    ruling = "S1", given = { "Function", ... }, when = both(gt(u, 0x1p-20), inexact(f, 11)), gives = { alternative } }
end

local function extreme_of_nans(id, f, name)
  return behaviour(id) { text = "with NaNs, the extreme is a NaN or the extreme of the numbers",
    strength = "open", ruling = "S4",
    given = { "Function", name }, when = gt(part(f, "nans"), 0), gives = { { "propagated", nan } } }
end

-- A fold that ignores NaNs ends with its start if there is nothing else.
local function start_of_nans(id, f, name, start, limit)
  return behaviour(id) { text = "the extreme of NaNs alone is a NaN, not the start of the fold", strength = "soft",
    ruling = "S4", given = { "Function", name },
    when = both(gt(part(f, "nans"), 0), eq(part(f, "nans"), part(f, "count"))),
    gives = { { "start", start }, { "limit", limit } } }
end

local argmax, argmax_choices = place_choices("place_of_max", nil, { "Function", "ARGMAX" })
local argmin, argmin_choices = place_choices("place_of_min", nil, { "Function", "ARGMIN" })

local behaviours = {
  behaviour "reduces" { text = "each element is the function of the elements with the same coordinates outside of Axes",
    page = "DML_REDUCE, DML_REDUCE_FUNCTION", ruling = "S1, S10, S11" },
  behaviour "nans" { text = "a NaN gives a NaN, except in MIN, MAX, ARGMIN and ARGMAX", ruling = "S4" },
  behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  behaviour "overflow" { text = "integers wrap modulo 2^width", strength = "soft", ruling = "S2" },
  of_floats("half-sums-l2", squares, l2_wide, "L2"),
  of_floats("half-sums-log", sum, log_sum_wide, "LOG_SUM"),
  of_floats("half-sums-exp", powers, { "rounded", log_sum_exp(false) }, "LOG_SUM_EXP"),
  partial_overflow(sum, "partial", { "Function", "SUM", "AVERAGE", "LOG_SUM" }),
  partial_overflow(magnitudes, "partial-l1", { "Function", "L1" }),
  partial_overflow(squares, "partial-squares", { "Function", "L2", "SUM_SQUARE" }),
  partial_range(product, { "Function", "MULTIPLY" }),
  partial_zero(product, { "Function", "MULTIPLY" }),
  behaviour "exp-overflow" { text = "if e^x is beyond the type, the result may be infinite, unless x is shifted",
    strength = "open", ruling = "S10", given = { "Function", "LOG_SUM_EXP" },
    when = gt(sum_exp, log(largest)), gives = { { "overflow", inf } } },
  behaviour "exp-underflow" { text = "if e^x is below the normal numbers, it may count as less, unless x is shifted",
    strength = "open", ruling = "S10", given = { "Function", "LOG_SUM_EXP" },
    when = lt(greatest_one, log(smallest_normal)),
    gives = { { "underflow", log(max(0, within(exp(sum_exp), part(powers, "count") * smallest_normal))) } } },
  extreme_of_nans("max-nan", greatest_one, "MAX"),
  extreme_of_nans("min-nan", least, "MIN"),
  start_of_nans("max-nans", greatest_one, "MAX", -inf, lowest),
  start_of_nans("min-nans", least, "MIN", inf, largest),
}
for i, one in ipairs(argmax_choices) do
  one.id = one.id .. "-max"
  argmin_choices[i].id = argmin_choices[i].id .. "-min"
  behaviours[#behaviours + 1] = one
  behaviours[#behaviours + 1] = argmin_choices[i]
end

local function reduces(id, number, axes, sizes, values, fields)
  fields = fields or { ruling = "E12" }
  fields.Function, fields.AxisCount, fields.Axes = number, #axes, axes
  fields.InputTensor = { "FLOAT32", { 3, 3 }, { 1, 2, 3, 3, 0, 4, 2, 4, 2 } }
  fields.OutputTensor = { fields.type or "FLOAT32", sizes, values }
  fields.type = nil
  return example(id) (fields)
end

-- Makes an example of rows with elements that are not finite, or whose sum is 0.
local function special(id, number, rows, values)
  local all = {}
  for i = 1, 3 * #rows do all[i] = rows[(i + 2) // 3][(i - 1) % 3 + 1] end
  return example(id .. "-special") { ruling = "E12", Function = number, AxisCount = 1, Axes = { 1 },
    InputTensor = { "FLOAT32", { #rows, 3 }, all }, OutputTensor = { "FLOAT32", { #rows, 1 }, values } }
end

local sums = { { inf, 1, 2 }, { inf, 1, -inf }, { 1, nan, 2 } }

-- Integers that a float of the same width cannot represent.
local function whole(id, number, type, values, outcome)
  return example(id .. "-" .. type:lower()) { ruling = "E12", Function = number, AxisCount = 1, Axes = { 0 },
    InputTensor = { type, { 2 }, values }, OutputTensor = { type, { 1 }, { outcome } } }
end

local page = "DML_REDUCE"

-- The situations of each function: contents far from zero, rows along the first of many dimensions, a broadcast input.
local function of_functions()
  local found, axis = {}, entry(list "Axes", 0)
  for number, name in pairs { [0] = "argmax", "argmin", "average", "l1", "l2", "log-sum", "log-sum-exp", "max", "min",
    "multiply", "sum", "sum-square" } do
    local is = equal(attr "Function", number)
    found[#found + 1] = {
      situation(name .. "-far") { text = "the elements of a row, or some, are far from zero or infinite", is,
        fill = "far-below far-above masked masked-out huge close least greatest", at_least(size("InputTensor", axis), 33) },
      situation(name .. "-outermost") { text = "the first of at least six dimensions is reduced", is, equal(axis, 0),
        at_least(D, 6), at_least(size("InputTensor", 0), 3) },
      situation(name .. "-broadcast") { text = "elements of a reduced row share memory", is, equal(attr "AxisCount", D),
        at_least(size("InputTensor", -1), 3), strides = { InputTensor = "broadcast" } },
    }
  end
  return found
end

return {
  operator "ARGMIN" (arg("ARGMIN", "place_of_min", function(page_of)
    return {
      places(page_of, "rows", { 0 }, { 1, 3 }, { 0, 1, 2 }), places(page_of, "columns", { 1 }, { 3, 1 }, { 0, 1, 0 }),
      places(page_of, "both", { 0, 1 }, { 1, 1 }, { 4 }),
      tie(page_of, 0, { 1, 2, 3, 2, 1 }, 0), tie(page_of, 1, { 1, 2, 3, 2, 1 }, 4),
      example "apart" { ruling = "E12, S9", AxisCount = 2, Axes = { 0, 2 }, AxisDirection = 0,
        InputTensor = { "FLOAT32", { 2, 2, 3 }, { 5, 4, 6, 9, 8, 7, 1, 8, 2, 6, 7, 0 } },
        OutputTensor = { "UINT32", { 1, 2, 1 }, { 3, 5 } } },
    }
  end)),
  operator "ARGMAX" (arg("ARGMAX", "place_of_max", function(page_of)
    return {
      places(page_of, "rows", { 0 }, { 1, 3 }, { 1, 2, 1 }), places(page_of, "columns", { 1 }, { 3, 1 }, { 2, 2, 1 }),
      places(page_of, "both", { 0, 1 }, { 1, 1 }, { 7 }),
      tie(page_of, 0, { 3, 2, 1, 2, 3 }, 0), tie(page_of, 1, { 3, 2, 1, 2, 3 }, 4),
    }
  end)),
  operator "REDUCE" {
    groups = { "data", "result" },
    situations = { shape_situations "InputTensor", rows_along(entry(list "Axes", 0), true), of_functions(),
      situation "argmax-past-65536" { text = "the last element of a row of more than 65536 is the greatest one",
        fill = "spikes", equal(attr "Function", 0), at_least(size("InputTensor", entry(list "Axes", 0)), 65539) } },
    parameters = { { "d", D }, { "n", attr "AxisCount" } },
    rules = {
      rule "function" { between(attr "Function", 0, 11), strength = "soft", ruling = "S6" },
      types_by_constant "Function",
      axes_rules(page),
      rule "same-type" { when(at_least(attr "Function", 2),
        equal(data_type "OutputTensor", data_type "InputTensor")), page = page },
    },
    results = {
      function_result({ "Function", "ARGMAX" }, argmax), function_result({ "Function", "ARGMIN" }, argmin),
      function_result({ "Function", "AVERAGE" }, sum / part(sum, "count"), rounded(sum, 0, function(error)
        return error / part(sum, "count") + ulp(2)
      end)),
      function_result({ "Function", "L1" }, magnitudes, rounded(magnitudes)),
      function_result({ "Function", "L2" }, l2, root_error),
      function_result({ "Function", "LOG_SUM" }, log_sum, log_error, { 0.25, 8 }),
      function_result({ "Function", "LOG_SUM_EXP" }, log_sum_exp(true), log_error, { -8, 8 }),
      function_result({ "Function", "MAX" }, greatest_one), function_result({ "Function", "MIN" }, least),
      function_result({ "Function", "MULTIPLY" }, product, rounded(product), { 0.5, 2 }),
      function_result({ "Function", "SUM" }, sum, rounded(sum)),
      function_result({ "Function", "SUM_SQUARE" }, squares, rounded(squares, 1)),
    },
    domains = { InputTensor = { -8, 8 } },
    behaviours = behaviours,
    examples = {
      reduces("sum-rows", 10, { 0 }, { 1, 3 }, { 6, 6, 9 }, { page = page }),
      reduces("sum-columns", 10, { 1 }, { 3, 1 }, { 6, 7, 8 }, { page = page }),
      reduces("sum-both", 10, { 0, 1 }, { 1, 1 }, { 21 }, { page = page, ruling = "S11" }),
      reduces("l1", 3, { 1 }, { 3, 1 }, { 6, 7, 8 }),
      reduces("sum-square", 11, { 1 }, { 3, 1 }, { 14, 25, 24 }),
      reduces("l2", 4, { 1 }, { 3, 1 }, { 3.741657387, 5, 4.898979486 }),
      reduces("average", 2, { 1 }, { 3, 1 }, { 2, 2.333333333, 2.666666667 }),
      reduces("multiply", 9, { 1 }, { 3, 1 }, { 6, 0, 16 }),
      reduces("max", 7, { 1 }, { 3, 1 }, { 3, 4, 4 }),
      reduces("min", 8, { 1 }, { 3, 1 }, { 1, 0, 2 }),
      reduces("log-sum", 5, { 1 }, { 3, 1 }, { 1.791759469, 1.945910149, 2.079441542 }),
      reduces("log-sum-exp", 6, { 1 }, { 3, 1 }, { 3.407605964, 4.326562641, 4.239544766 }),
      reduces("argmax", 0, { 1 }, { 3, 1 }, { 2, 2, 1 }, { ruling = "E12, S11", type = "UINT32" }),
      reduces("argmin", 1, { 1 }, { 3, 1 }, { 0, 1, 0 }, { ruling = "E12, S11", type = "UINT32" }),
      special("sum", 10, sums, { inf, nan, nan }), special("average", 2, sums, { inf, nan, nan }),
      special("l1", 3, sums, { inf, inf, nan }), special("l2", 4, sums, { inf, inf, nan }),
      special("sum-square", 11, sums, { inf, inf, nan }),
      special("multiply", 9, { { inf, 0, 2 }, { 1, 0, nan } }, { nan, nan }),
      special("max", 7, { { -inf, -inf, -inf }, { nan, nan, nan } }, { -inf, nan }),
      special("min", 8, { { inf, inf, inf }, { nan, nan, nan } }, { inf, nan }),
      special("log-sum", 5, { { 1, -1, 0 }, { 1, -2, 0 } }, { -inf, nan }),
      special("log-sum-exp", 6, { { -inf, 2, -inf }, { inf, 2, nan } }, { 2, nan }),
      whole("sum", 10, "INT32", { 16777217, 2 }, 16777219), whole("l1", 3, "INT32", { 16777217, -2 }, 16777219),
      whole("sum-square", 11, "INT32", { 4097, -2 }, 16785413), whole("multiply", 9, "INT32", { 4097, -4099 }, -16793603),
      whole("sum", 10, "INT64", { 9007199254740993, 2 }, 9007199254740995),
      whole("l1", 3, "INT64", { 9007199254740993, -2 }, 9007199254740995),
      whole("sum-square", 11, "INT64", { 94906267, -2 }, 9007199515875293),
      whole("multiply", 9, "INT64", { 94906267, -94906269 }, -9007199705687823),
    },
  },
}
