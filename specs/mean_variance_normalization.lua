-- Normalisation by the mean and the variance of slices: the elements with the same coordinates outside of some axes.

local D = dims "InputTensor"
local x = element "InputTensor"
local scale = choose(present "ScaleTensor", element "ScaleTensor", 1)
local bias = choose(present "BiasTensor", element "BiasTensor", 0)

-- Returns the sizes of a slice, and a function that folds a slice. `own` is a list: 1 for an axis, otherwise 0.
local function over_axes(own)
  local extent = (sizes "InputTensor" - 1) * own + 1
  return extent, function(fold, formula)
    return over { sizes = extent, at = { InputTensor = place "OutputTensor" * (1 - own) + step(extent) }, fold = fold, formula }
  end
end

local function is_true(name) return ne(attribute(name), 0) end

local function bool_rules(...)
  local found = {}
  for _, name in ipairs { ... } do found[#found + 1] = at_most(attr(name), 1) end
  found.strength, found.ruling = "open", "S6"
  return rule "bools" (found)
end

local axes_rules = {
  rule "axes-given" { when(at_least(attr "AxisCount", 1), present "Axes"), text = "Axes must be given", strength = "soft",
    ruling = "B10" },
  rule "axes-range" { between(list "Axes", 0, D - 1), ruling = "N24" },
  rule "axes-unique" { at_most(attr "AxisCount", D), distinct(list "Axes"), strength = "soft", ruling = "N24" },
  rule "no-axes" { at_least(attr "AxisCount", 1), strength = "open", ruling = "N24" },
}

-- `body` has own, centred, divides and since, and the rules, examples and parameters of one operator.
local function normalises(name, body)
  local page = "DML_" .. name
  local extent, fold = over_axes(body.own)
  local slice = statistics(x, fold, body.centred)
  local normal = normalised { x = x, slice = slice, scale = scale, bias = bias, epsilon = "Epsilon",
    divided = is_true(body.divides),
    centred = body.centred }
  local behaviours = {
    behaviour "normalises" {
      text = "each element is normalised by the mean and the variance of its slice and scaled, then "
      .. "BiasTensor is added and FusedActivation applied", page = page,
      ruling = body.centred and "E10, N25, N32" or "E10, N25" },
    behaviour "nans" { text = "a NaN or an infinity turns its whole slice into NaNs if the slice is divided",
      ruling = "E6" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  }
  for _, list_of_them in ipairs { normal.behaviours, fused_behaviours(normal.value) } do
    for _, one in ipairs(list_of_them) do behaviours[#behaviours + 1] = one end
  end
  local parameters = { { "d", D }, { "s", present "ScaleTensor" }, { "b", present "BiasTensor" } }
  if body.counts then parameters[4] = { "n", attr "AxisCount" } end
  local make = operator(name) -- `same` below refers to this operator
  local rules = { body.rules }
  if body.counts then rules[2] = rule "same-dims" { same "DimensionCount", page = page } end
  return make {
    parameters = parameters, slice = product(extent),
    situations = { shape_situations "InputTensor", value_situations "nan", fused_situations "FusedActivation",
      small_deviation(equal(attr(body.divides), 1)),
      rows_along(body.counts and entry(list "Axes", 0) or -1, body.counts) },
    domains = { InputTensor = { -8, 8 }, ScaleTensor = { -4, 4 }, BiasTensor = { -4, 4 } },
    rules = {
      rule "same-type" { same "DataType", page = page },
      rule "same-sizes" { same "Sizes", page = page },
      rule "scale-broadcast" { when(present "ScaleTensor", broadcasts(sizes "ScaleTensor", sizes "InputTensor")), page = page },
      rule "bias-broadcast" { when(present "BiasTensor", broadcasts(sizes "BiasTensor", sizes "InputTensor")), page = page },
      rules, number_rules "Epsilon", fused_rules("FusedActivation", page, body.since),
    },
    results = fused_results { normal.value, output = "OutputTensor", field = "FusedActivation", error = normal.error,
      FLOAT32 = normal.tolerance.FLOAT32, FLOAT16 = normal.tolerance.FLOAT16 },
    behaviours = behaviours, examples = body.examples,
  }
end

-- True if the tensor is absent or has the channels of the input.
local function channels(tensor)
  return when(all_of(present(tensor), at_least(D, 2)), equal(size(tensor, 1), size("InputTensor", 1)))
end

local function both_or_none(page)
  return rule "scale-with-bias" { any_of(all_of(present "ScaleTensor", present "BiasTensor"),
    all_of(absent "ScaleTensor", absent "BiasTensor")), before = "5_2", page = page,
    text = "ScaleTensor and BiasTensor must both be given, or none of them" }
end

-- ---- examples

local input = { "FLOAT32", { 1, 2, 2, 2 }, { 1, 3, 5, 7, 2, 2, 4, 8 } }
local planes = { -1, -0.3333333, 0.3333333, 1, -0.6324555, -0.6324555, 0, 1.264911 }
local all = { -0.9733285, -0.3244428, 0.3244428, 0.9733285, -0.6488857, -0.6488857, 0, 1.297771 }
local centred = { -3, -1, 1, 3, -2, -2, 0, 4 }
local scaled = { -1, 0.3333333, 1.666667, 3, 0.6324555, 0.6324555, 0, -1.264911 }

local function example_of(id, fields, values)
  local made = { ruling = "N25", InputTensor = input, Epsilon = 4, OutputTensor = { "FLOAT32", input[2], values } }
  for key, value in pairs(fields) do made[key] = value end
  if made.Axes then made.AxisCount = #made.Axes end
  return example(id) (made)
end

local with_scale = { ScaleTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 2, -1 } }, BiasTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 1, 0 } } }

-- Examples of a large mean with a small variance, of a slice of equal elements, and of a fused activation. `fields` has
-- the axes.
local function particular(fields, flags)
  local function made(id, type, values, epsilon, results, activation)
    local of = { InputTensor = { type, { 1, 1, 2, 2 }, values }, OutputTensor = { type, { 1, 1, 2, 2 }, results },
      Epsilon = epsilon, FusedActivation = activation }
    for _, more in ipairs { fields, flags } do for key, value in pairs(more) do of[key] = value end end
    return example_of(id, of, results)
  end
  local three = { 0.6666667, -0.6666667, 0.6666667, -0.6666667 } -- a variance of 1
  return {
    made("large-mean", "FLOAT32", { 1001, 999, 1001, 999 }, 1.25, three),
    made("constant", "FLOAT32", { 1000, 1000, 1000, 1000 }, 1, { 0, 0, 0, 0 }),
    made("constant-half", "FLOAT16", { 8, 8, 8, 8 }, 1, { 0, 0, 0, 0 }),
    made("fused", "FLOAT32", { 1, -1, 1, -1 }, 1.25, { 0.6666667, -0.3333333, 0.6666667, -0.3333333 },
      "ACTIVATION_LEAKY_RELU(Alpha=0.5)"),
    made("fused-jump", "FLOAT32", { 1, -1, 1, -1 }, 1.25, { 0.6666667, 0, 0.6666667, 0 },
      "ACTIVATION_THRESHOLDED_RELU(Alpha=0.5)"),
  }
end

local function examples(...)
  local found = {}
  for _, given in ipairs { ... } do
    for _, one in ipairs(given.kind and { given } or given) do found[#found + 1] = one end
  end
  return found
end

local function with(fields, more)
  local made = {}
  for key, value in pairs(fields) do made[key] = value end
  for key, value in pairs(more) do made[key] = value end
  return made
end

local cross = least(attr "CrossChannel", 1)
local by_axes = replace(filled(0, D), list "Axes", 1)

return {
  define("MEAN_VARIANCE_NORMALIZATION", normalises, {
    own = concat(0, cross, 1, 1), divides = "NormalizeVariance",
    rules = { both_or_none "DML_MEAN_VARIANCE_NORMALIZATION", bool_rules("CrossChannel", "NormalizeVariance") },
    examples = examples(
      example_of("planes", { CrossChannel = false, NormalizeVariance = true }, planes),
      example_of("all", { CrossChannel = true, NormalizeVariance = true }, all),
      example_of("centred", { CrossChannel = false, NormalizeVariance = false }, centred),
      example_of("scaled", with(with_scale, { CrossChannel = false, NormalizeVariance = true }), scaled),
      particular({ CrossChannel = false }, { NormalizeVariance = true })),
  }),

  define("MEAN_VARIANCE_NORMALIZATION1", normalises, {
    own = by_axes, counts = true, since = "2_1", divides = "NormalizeVariance",
    rules = { axes_rules, both_or_none "DML_MEAN_VARIANCE_NORMALIZATION1",
      rule "scale-channels" { channels "ScaleTensor", before = "4_0", strength = "soft",
        page = "DML_MEAN_VARIANCE_NORMALIZATION1", text = "ScaleTensor must have the channels of InputTensor" },
      rule "bias-channels" { channels "BiasTensor", before = "4_0", strength = "soft",
        page = "DML_MEAN_VARIANCE_NORMALIZATION1", text = "BiasTensor must have the channels of InputTensor" },
      bool_rules "NormalizeVariance" },
    examples = examples(
      example_of("planes", { Axes = { 2, 3 }, NormalizeVariance = true }, planes),
      example_of("all", { Axes = { 1, 2, 3 }, NormalizeVariance = true }, all),
      example_of("centred", { Axes = { 2, 3 }, NormalizeVariance = false }, centred),
      example_of("scaled", with(with_scale, { Axes = { 2, 3 }, NormalizeVariance = true }), scaled),
      example_of("scale-alone", { Axes = { 2, 3 }, NormalizeVariance = true, ScaleTensor = with_scale.ScaleTensor },
        { -2, -0.6666667, 0.6666667, 2, 0.6324555, 0.6324555, 0, -1.264911 }),
      particular({ Axes = { 2, 3 } }, { NormalizeVariance = true })),
  }),

  define("MEAN_VARIANCE_NORMALIZATION2", normalises, {
    own = by_axes, counts = true, since = "6_3", centred = is_true "UseMean", divides = "UseVariance",
    rules = { axes_rules, bool_rules("UseMean", "UseVariance") },
    examples = examples(
      example_of("planes", { Axes = { 2, 3 }, UseMean = true, UseVariance = true }, planes),
      example_of("all", { Axes = { 1, 2, 3 }, UseMean = true, UseVariance = true }, all),
      example_of("centred", { Axes = { 2, 3 }, UseMean = true, UseVariance = false }, centred),
      example_of("scaled", with(with_scale, { Axes = { 2, 3 }, UseMean = true, UseVariance = true }), scaled),
      example_of("squares", { InputTensor = { "FLOAT32", { 1, 4 }, { 1, 2, 2, 4 } }, Axes = { 1 }, UseMean = false,
        UseVariance = true, Epsilon = 2.75, OutputTensor = { "FLOAT32", { 1, 4 }, { 0.3333333, 0.6666667, 0.6666667, 1.333333 } } }),
      example_of("neither", { InputTensor = { "FLOAT32", { 1, 4 }, { 1, 2, 2, 4 } }, Axes = { 1 }, UseMean = false,
        UseVariance = false, ScaleTensor = { "FLOAT32", { 1, 1 }, { 2 } }, BiasTensor = { "FLOAT32", { 1, 1 }, { 1 } },
        OutputTensor = { "FLOAT32", { 1, 4 }, { 3, 5, 5, 9 } } }),
      particular({ Axes = { 2, 3 } }, { UseMean = true, UseVariance = true })),
  }),
}
