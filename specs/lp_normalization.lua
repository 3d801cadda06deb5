-- Division by the norm of a row: the sum of magnitudes, or the root of the sum of squares.

local D, Axis = dims "InputTensor", attr "Axis"
local page = "DML_LP_NORMALIZATION"
local x, epsilon, rounded = element "InputTensor", attribute "Epsilon", cast "Epsilon"

local kept = replace(filled(1, D), Axis, 0)
local rows = replace(filled(1, D), Axis, size("InputTensor", Axis))
local function along(formula)
  return over { sizes = rows, at = { InputTensor = place "OutputTensor" * kept + step(rows) }, fold = "sum", formula }
end

local magnitudes, squares = along(abs(x)), along(x * x)
local count = part(squares, "count")
local is_first = eq(attribute "P", 1)
local norm = named(choose(is_first, magnitudes, sqrt(squares)), "norm")
local divisor = choose(is_nan(norm), norm, max(norm, epsilon))
local value = x / divisor

-- Squares below the normal numbers may be flushed to 0.
local lost = choose(is_first, 0, count * smallest_normal)

-- The relative error of the value if Epsilon is rounded to FLOAT16 first, perhaps to infinity.
local limited = max(norm, rounded)
local of_epsilon = choose(gt(limited, divisor), min((limited - divisor) / divisor, 1),
  choose(lt(limited, divisor), (divisor - limited) / limited, 0))

local tolerance = composite(function(u, e) return carried(value, u) + abs(value) * (e.sqrt + of_epsilon) end)

local function row(id, type, P, values, results, more)
  local fields = { ruling = "N25", InputTensor = { type, { 1, 1, 1, #values }, values }, Axis = 3, P = P, Epsilon = 1e-12,
    OutputTensor = { type, { 1, 1, 1, #values }, results } }
  for key, one in pairs(more or {}) do fields[key] = one end
  return example(id) (fields)
end

return operator "LP_NORMALIZATION" {
  parameters = { { "d", D }, { "a", Axis }, { "p", attr "P" } }, slice = size("InputTensor", Axis),
  situations = { shape_situations "InputTensor", value_situations "nan", rows_along(Axis) },
  domains = { InputTensor = { -8, 8 } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-type" { same "DataType", page = page },
    rule "same-sizes" { same "Sizes", page = page },
    rule "axis-range" { below(Axis, D), ruling = "N24" },
    rule "p" { one_of(attr "P", { 1, 2 }), page = page },
    number_rules "Epsilon",
  },
  results = { result "OutputTensor" { value, FLOAT32 = tolerance.FLOAT32, FLOAT16 = tolerance.FLOAT16 } },
  behaviours = {
    behaviour "normalises" { text = "each element is divided by the larger of Epsilon and the norm of its row",
      page = page,
      ruling = "E10, N25, N30" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    behaviour "nan" { text = "a NaN turns its whole row into NaNs, unless the maximum with Epsilon ignores a NaN norm",
      strength = "open", ruling = "N30",
      when = is_nan(norm), gives = { { "ignored", x / epsilon } } },
    behaviour "epsilon" { text = "Epsilon is a lower limit of the norm", strength = "soft", ruling = "N30",
      when = gt(abs(epsilon), norm * 0x1p-26), gives = {
        { "added", x / within(norm + epsilon, norm * (count + 12) * u + abs(rounded - epsilon)) },
        { "inside", choose(both(negated(is_first), gt(squares + epsilon, 0)), x / sqrt(squares + epsilon), value) },
        { "unless-zero", choose(eq(norm, 0), value, x / norm) } } },
    behaviour "zeros" { text = "a row of zeros gives zeros or NaNs, unless Epsilon is positive and not denormal",
      strength = "open", ruling = "N31", when = both(eq(norm, 0), lt(rounded, 0x1p-126)), gives = { { "0", 0 }, { "undefined", nan } } },
    behaviour "vanishing" { text = "if squares are below the normal numbers, any value is right", strength = "open",
      ruling = "N31", when = both(gt(squares, 0), lt(squares, 4 * lost)), gives = "anything" },
    behaviour "overflow" { text = "if the sum, or the sum of squares, is beyond the type, any value is right",
      strength = "open", ruling = "N20", gives = "anything",
      when = gt(choose(is_first, magnitudes, part(squares, "magnitude")), largest) },
  },
  examples = {
    example "first" { ruling = "N25", InputTensor = { "FLOAT32", { 1, 4 }, { 1, -2, 3, -4 } }, Axis = 1, P = 1, Epsilon = 1e-12,
      OutputTensor = { "FLOAT32", { 1, 4 }, { 0.1, -0.2, 0.3, -0.4 } } },
    example "second" { ruling = "N25", InputTensor = { "FLOAT32", { 1, 1, 2, 2 }, { 3, 0, 4, 0 } }, Axis = 2, P = 2,
      Epsilon = 1e-12, OutputTensor = { "FLOAT32", { 1, 1, 2, 2 }, { 0.6, 0, 0.8, 0 } } },
    row("zeros", "FLOAT32", 2, { 0, 0, 0 }, { 0, 0, 0 }, { ruling = "N31" }),
    row("constant-half", "FLOAT16", 2, { 100, 100, 100, 100 }, { 0.5, 0.5, 0.5, 0.5 }),
    row("limit", "FLOAT32", 1, { 1, -2, 1 }, { 0.125, -0.25, 0.125 }, { Epsilon = 8, ruling = "N30" }),
  },
}
