-- Batch normalisation by given statistics, by the statistics of the batch, and the gradients of both.

local D = dims "InputTensor"
local x, gradient = element "InputTensor", element "InputGradientTensor"
local mean, variance = element "MeanTensor", element "VarianceTensor"
local scale, bias = element "ScaleTensor", element "BiasTensor"

-- Returns the sizes of a slice (1 in each dimension that `tensor` keeps), and a list with 1 for each kept dimension and
-- 0 for the others.
local function slices_of(tensor)
  local kept = ceil_div(sizes(tensor) - 1, sizes(tensor))
  return (sizes "InputTensor" - 1) * (1 - kept) + 1, kept
end

local function least_of(u) return u > 0x1p-20 and 0x1p-14 or 0x1p-126 end

local function bool_rule(name)
  return rule "bool" { at_most(attr(name), 1), strength = "open", ruling = "S6" }
end

local function joined(...)
  local found = {}
  for _, one_list in ipairs { ... } do
    for _, one in ipairs(one_list) do found[#found + 1] = one end
  end
  return found
end

local function broadcast_rules(page, ...)
  local found = {}
  for i, name in ipairs { ... } do
    found[i] = rule(name:lower() .. "-broadcast") { broadcasts(sizes(name .. "Tensor"), sizes "InputTensor"), page = page }
  end
  return found
end

local function common(page, text, ruling)
  return {
    behaviour "computes" { text = text, page = page, ruling = ruling },
    behaviour "nans" { text = "a NaN propagates to every element that depends on it", ruling = "E6" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  }
end

-- ---- given statistics

local function given()
  local page = "DML_BATCH_NORMALIZATION"
  local by = root_of(variance, "Epsilon")
  local value = named(scale * (x - mean) / by.root + bias, "normalised")
  local size = abs(x) + abs(mean)
  local flushed = max(1, size)
  -- A device may compute a * x + b, with a = scale / root and b = bias - mean * a: both may overflow for any x. If mean is
  -- infinite, so is b, and a * x may overflow to the opposite infinity; if a vanishes, its product with an infinity is a
  -- NaN.
  local function finite(of, otherwise) return choose(lt(abs(of), inf), abs(of), otherwise) end
  local centre = finite(mean, finite(x, 0))
  local vanishes = both(either(is_inf(x), is_inf(mean)), lt(abs(scale) / by.root, smallest_normal))
  local folded = either(is_inf(scale), either(vanishes,
    gt((1 + abs(scale)) * (1 + centre) * max(1, 1 / by.root), largest)))
  local function bound(u, e)
    return abs(scale) / by.root * (size * (14 * u + e.sqrt + by.error(u)) + least_of(u)) + least_of(u) / by.root
      + 4 * u * abs(bias) + 2 * u * abs(value)
  end
  local function hard(unit) return bound(unit, function_errors(unit, true)) end
  local narrow, wide = hard(0x1p-24), hard(0x1p-11)
  local error = choose(gt(u, 0x1p-20), max(narrow + spacing(value), wide), narrow) + smallest_normal * flushed
  local tolerance = composite(bound, flushed)
  local function plane(tensor) return equal(suffix(sizes(tensor), 2), suffix(sizes "InputTensor", 2)) end
  local planes = { plane "MeanTensor", plane "VarianceTensor" }

  local channels = { 1, 2, 1, 1 }
  local function made(id, fields, results)
    local all = { ruling = "N25", Spatial = true, Epsilon = 1, InputTensor = { "FLOAT32", { 1, 2, 1, 2 }, { 1, 2, 3, 4 } },
      MeanTensor = { "FLOAT32", channels, { 1, 3 } }, VarianceTensor = { "FLOAT32", channels, { 0, 3 } },
      ScaleTensor = { "FLOAT32", channels, { 2, 4 } }, BiasTensor = { "FLOAT32", channels, { 0.5, -1 } },
      OutputTensor = { "FLOAT32", { 1, 2, 1, 2 }, results } }
    for key, one in pairs(fields) do all[key] = one end
    return example(id) (all)
  end
  local function half(values) return { "FLOAT16", #values == 2 and channels or { 1, 2, 1, 2 }, values } end

  return operator "BATCH_NORMALIZATION" {
    parameters = { { "d", D } },
    situations = { shape_situations "InputTensor", number_situations "InputTensor", value_situations "nan",
      fused_situations "FusedActivation" },
    domains = { InputTensor = { -8, 8 }, MeanTensor = { -4, 4 }, VarianceTensor = { 0.0625, 8 }, ScaleTensor = { -4, 4 },
      BiasTensor = { -4, 4 } },
    rules = {
      rule "same-dims" { same "DimensionCount", page = page },
      rule "same-type" { same "DataType", page = page },
      rule "same-sizes" { same "Sizes", page = page },
      broadcast_rules(page, "Mean", "Variance", "Scale", "Bias"),
      rule "spatial-false" { when(all_of(equal(attr "Spatial", 0), equal(D, 4)), planes), before = "4_0", page = page,
        text = "MeanTensor and VarianceTensor must have InputTensor's last two sizes if Spatial is FALSE" },
      rule "spatial-false-dims" { when(all_of(equal(attr "Spatial", 0), at_least(D, 2), any_of(at_most(D, 3), at_least(D, 5))),
          planes), from = "3_1", before = "4_0", strength = "soft", ruling = "N26",
        text = "MeanTensor and VarianceTensor must have InputTensor's last two sizes for any DimensionCount if " ..
          "Spatial is FALSE" },
      bool_rule "Spatial", number_rules "Epsilon", fused_rules("FusedActivation", page),
    },
    results = fused_results { value, output = "OutputTensor", field = "FusedActivation", error = error,
      FLOAT32 = tolerance.FLOAT32, FLOAT16 = tolerance.FLOAT16 },
    behaviours = joined(
      common(page, "each element is normalised by mean and variance, scaled and shifted, then FusedActivation is " ..
        "applied; Spatial has no effect", "E10, N25, N26"),
      { by.vanishes,
        may_overflow("overflow", (1 + abs(scale)) * (1 + size) * max(1, 1 / by.root), nil, folded) },
      fused_behaviours(value)),
    examples = {
      made("channels", {}, { 0.5, 2.5, -1, 1 }),
      made("not-spatial", { MeanTensor = { "FLOAT32", { 1, 2, 1, 2 }, { 1, 1, 3, 3 } }, Spatial = false,
        VarianceTensor = { "FLOAT32", { 1, 2, 1, 2 }, { 0, 0, 3, 3 } } }, { 0.5, 2.5, -1, 1 }),
      made("half", { InputTensor = half { 1, 2, 3, 4 }, MeanTensor = half { 1, 3 }, VarianceTensor = half { 0, 3 },
        ScaleTensor = half { 2, 4 }, BiasTensor = half { 0.5, -1 }, OutputTensor = half { 0.5, 2.5, -1, 1 } }, {}),
      made("fused", { FusedActivation = "ACTIVATION_RELU()" }, { 0.5, 2.5, 0, 1 }),
      made("fused-jump", { FusedActivation = "ACTIVATION_THRESHOLDED_RELU(Alpha=0.75)" }, { 0, 2.5, 0, 1 }),
    },
  }
end

-- ---- statistics of the batch

-- Rows along the last dimension; channels that are no power of two, apart in memory.
local function of_channels()
  return { rows_along(-1), small_deviation(), situation "channel-last" {
    text = "the elements of a channel of more than 512 lie apart in memory, and channels are no power of two",
    at_least(D, 3), one_of(size("InputTensor", 1), { 3, 5, 6, 7 }), at_least(size("InputTensor", -1), 129),
    at_least(size("InputTensor", 0), 4), strides = { InputTensor = "permuted" } } }
end

local function training()
  local page = "DML_BATCH_NORMALIZATION_TRAINING"
  local slices, kept = slices_of "ScaleTensor"
  local function at_output(fold, formula)
    return over { sizes = slices, at = { InputTensor = place "OutputTensor" * kept + step(slices) }, fold = fold, formula }
  end
  local function at_place(output)
    return statistics(x, function(fold, formula)
      return over { sizes = slices, at = { InputTensor = place(output) + step(slices) }, fold = fold, formula }
    end)
  end
  local normal = normalised { x = x, slice = statistics(x, at_output), scale = scale, bias = bias, epsilon = "Epsilon",
    added = choose(present "FusedAddTensor", element "FusedAddTensor", 0), output = "OutputTensor", single = true }
  local of_mean, of_variance = at_place "OutputMeanTensor", at_place "OutputVarianceTensor"
  local mean_bound = composite(function(u) return (of_mean.count + 2) * u * of_mean.size end)
  local variance_bound = composite(function(u) return 2 * (of_variance.count + 4) * u * of_variance.square end,
    max(1, of_variance.size))
  local statistic = { 1, 1, 1, 1 }
  local function made(id, fields, results)
    local all = { ruling = "N25", Epsilon = 4, InputTensor = { "FLOAT32", { 2, 1, 1, 2 }, { 1, 3, 5, 7 } },
      ScaleTensor = { "FLOAT32", statistic, { 2 } }, BiasTensor = { "FLOAT32", statistic, { 1 } },
      OutputTensor = { "FLOAT32", { 2, 1, 1, 2 }, results }, OutputMeanTensor = { "FLOAT32", statistic, { 4 } },
      OutputVarianceTensor = { "FLOAT32", statistic, { 5 } } }
    for key, one in pairs(fields) do all[key] = one end
    return example(id) (all)
  end
  local added = { "FLOAT32", { 2, 1, 1, 2 }, { 1, 1, -4, 1 } }

  return operator "BATCH_NORMALIZATION_TRAINING" {
    parameters = { { "d", D }, { "f", present "FusedAddTensor" } }, slice = product(slices),
    situations = { shape_situations "InputTensor", value_situations "nan", of_channels(),
      fused_situations "FusedActivation" },
    domains = { InputTensor = { -8, 8 }, ScaleTensor = { -4, 4 }, BiasTensor = { -4, 4 }, FusedAddTensor = { -4, 4 } },
    rules = {
      rule "same-dims" { same "DimensionCount", page = page },
      rule "same-type" { same "DataType", page = page },
      rule "same-sizes" { same "Sizes", page = page },
      broadcast_rules(page, "Scale"),
      number_rules "Epsilon", fused_rules("FusedActivation", page, "4_1"),
    },
    results = joined(fused_results { normal.value, output = "OutputTensor", field = "FusedActivation", error = normal.error,
      FLOAT32 = normal.tolerance.FLOAT32, FLOAT16 = normal.tolerance.FLOAT16 }, {
      result "OutputMeanTensor" { of_mean.mean, FLOAT32 = mean_bound.FLOAT32, FLOAT16 = mean_bound.FLOAT16 },
      result "OutputVarianceTensor" { of_variance.variance, FLOAT32 = variance_bound.FLOAT32, FLOAT16 = variance_bound.FLOAT16 },
    }),
    behaviours = joined(
      common(page, "each element is normalised by the mean and the variance of its slice, which are outputs, too; " ..
        "then FusedAddTensor is added and FusedActivation applied", "E10, N25, N27"),
      normal.behaviours,
      { may_overflow("overflow-mean", part(of_mean.sum, "magnitude"), "OutputMeanTensor"),
        may_overflow("overflow-variance", of_variance.count * (1 + of_variance.square), "OutputVarianceTensor"),
        behaviour "single-variance" { text = "the variance of one element is 0", strength = "soft", ruling = "N23",
          of = "OutputVarianceTensor", when = of_variance.single, gives = { { "undefined", nan } } } },
      fused_behaviours(normal.value, "OutputTensor")),
    examples = {
      made("batch", {}, { -1, 0.3333333, 1.666667, 3 }),
      made("added", { FusedAddTensor = added, FusedActivation = "ACTIVATION_RELU()" }, { 0, 1.333333, 0, 4 }),
      made("celu", { FusedActivation = "ACTIVATION_CELU(Alpha=1)" }, { -0.6321206, 0.3333333, 1.666667, 3 }),
      made("constant", { InputTensor = { "FLOAT32", { 2, 1, 1, 2 }, { 1000, 1000, 1000, 1000 } }, Epsilon = 1,
        OutputMeanTensor = { "FLOAT32", statistic, { 1000 } }, OutputVarianceTensor = { "FLOAT32", statistic, { 0 } } },
        { 1, 1, 1, 1 }),
      made("large-mean", { InputTensor = { "FLOAT32", { 2, 1, 1, 2 }, { 1001, 999, 1001, 999 } }, Epsilon = 1.25,
        OutputMeanTensor = { "FLOAT32", statistic, { 1000 } }, OutputVarianceTensor = { "FLOAT32", statistic, { 1 } } },
        { 2.333333, -0.3333333, 2.333333, -0.3333333 }),
      made("channels", { InputTensor = { "FLOAT32", { 2, 2, 1, 1 }, { 1, 10, 3, 30 } }, Epsilon = 3,
        ScaleTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 2, 0 } }, BiasTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 0, 5 } },
        OutputTensor = { "FLOAT32", { 2, 2, 1, 1 }, { -1, 5, 1, 5 } },
        OutputMeanTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 2, 20 } },
        OutputVarianceTensor = { "FLOAT32", { 1, 2, 1, 1 }, { 1, 100 } } }, {}),
    },
  }
end

-- ---- gradients

-- Returns the folds that both gradient operators share, for the slices of `output`. MeanTensor has the mean of a slice
-- at the place of the slice.
local function gradients(kept, slices, output)
  local origin = kept and place(output) * kept or place(output)
  local function fold(formula, with_mean)
    return over { sizes = slices, fold = "sum", formula,
      at = { InputTensor = origin + step(slices), InputGradientTensor = origin + step(slices),
        MeanTensor = with_mean and origin or nil } }
  end
  local total = over { sizes = slices, fold = "sum", gradient, at = { InputGradientTensor = origin + step(slices) } }
  local of_input = over { sizes = slices, fold = "sum", x, at = { InputTensor = origin + step(slices) } }
  local own = of_input / part(of_input, "count")
  return {
    total = total, count = part(total, "count"), own_mean = own, steps = part(total, "steps"),
    product = fold(gradient * (x - mean), true), own_product = fold(gradient * (x - own)),
    size = fold(abs(gradient) * (abs(x) + abs(mean)), true),
    reach = over { sizes = slices, fold = "max", abs(x) + abs(mean),
      at = { InputTensor = origin + step(slices), MeanTensor = origin } },
  }
end

local function gradient_operator(name, body)
  local page = "DML_" .. name
  local slices, kept = slices_of "MeanTensor"
  local outputs = { "OutputGradientTensor", "OutputScaleGradientTensor", "OutputBiasGradientTensor" }
  local roots = { root_of(variance, "Epsilon", outputs[1], "no-variance"),
    root_of(variance, "Epsilon", outputs[2], "no-variance-scale") }
  local function result_of(output, value, bound, scale_of)
    local tolerance = composite(bound, scale_of)
    return result(output) { value, FLOAT32 = tolerance.FLOAT32, FLOAT16 = tolerance.FLOAT16 }
  end
  local found = body.gradient(roots[1], gradients(kept, slices, outputs[1]), outputs[1])

  local of = gradients(nil, slices, outputs[2])
  local by = roots[2]
  local of_scale = result_of(outputs[2], of.product / by.root, function(u, e)
    return (of.size * ((of.count + 16) * u + e.sqrt + by.error(u)) + of.count * least_of(u)) / by.root
  end)
  local of_product = (1 + of.size + of.reach) * max(1, 1 / by.root)
  local sums = gradients(nil, slices, outputs[3])
  local of_bias = result_of(outputs[3], sums.total, function(u) return part(sums.total, "magnitude") * sums.count * u end)

  local behaviours = joined(common(page, body.text, "E10, N25, " .. body.ruling), {
    roots[1].vanishes, roots[2].vanishes,
    may_overflow("overflow", found.product, outputs[1]),
    may_overflow("overflow-scale", of_product, outputs[2]), infinities("infinities-scale", of_product, outputs[2]),
    may_overflow("overflow-bias", part(sums.total, "magnitude"), outputs[3]),
  }, found.behaviours or {})
  if body.own_mean then
    behaviours[#behaviours + 1] = behaviour "own-mean-scale" {
      text = "the mean is read from MeanTensor, not computed from InputTensor",
      strength = "open", ruling = body.ruling, of = outputs[2], when = gt(of.steps, 0),
      gives = { { "own", of.own_product / by.root } } }
  end

  local statistic, two = { 1, 1, 1, 1 }, { 2, 1, 1, 2 }
  local function made(id, type, results, fields)
    local all = { ruling = "N25", Epsilon = 4, InputTensor = { type, two, { 1, 3, 5, 7 } },
      InputGradientTensor = { type, two, { 1, 0, 0, 3 } }, MeanTensor = { type, statistic, { 4 } },
      VarianceTensor = { type, statistic, { 5 } }, ScaleTensor = { type, statistic, { 3 } },
      OutputGradientTensor = { type, two, results }, OutputScaleGradientTensor = { type, statistic, { 2 } },
      OutputBiasGradientTensor = { type, statistic, { 4 } } }
    for key, one in pairs(fields or {}) do all[key] = one end
    return example(id) (all)
  end

  return operator(name) {
    parameters = { { "d", D } }, slice = product(slices),
    situations = { shape_situations "InputTensor", value_situations "nan", of_channels() },
    domains = { InputTensor = { -8, 8 }, InputGradientTensor = { -4, 4 }, MeanTensor = { -4, 4 },
      VarianceTensor = { 0.0625, 8 }, ScaleTensor = { -4, 4 } },
    rules = {
      rule "same-dims" { same "DimensionCount", page = page },
      rule "same-type" { same "DataType", page = page },
      rule "same-sizes" { same "Sizes", page = page },
      broadcast_rules(page, "Mean"),
      number_rules "Epsilon",
    },
    results = { result_of(outputs[1], found.value, found.bound, found.flushed), of_scale, of_bias },
    behaviours = behaviours,
    examples = body.examples(made),
  }
end

local function of_given()
  return gradient_operator("BATCH_NORMALIZATION_GRAD", { ruling = "N28",
    text = "the gradients of BATCH_NORMALIZATION with respect to InputTensor, ScaleTensor and BiasTensor; mean and variance are "
      .. "constants",
    gradient = function(by, _, output)
      local value = gradient * scale / by.root
      local inverse = min(1 / by.root, 1 / sqrt(variance + cast "Epsilon"))
      local function is_lost(of) return lt(min(abs(of), inverse * min(1, abs(of))), smallest_normal) end
      local vanishes = either(both(is_inf(gradient), is_lost(scale)), both(is_inf(scale), is_lost(gradient)))
      return { value = value, flushed = max(1, abs(gradient)),
        bound = function(u, e)
          return abs(gradient * scale) / by.root * (10 * u + e.sqrt + by.error(u)) + least_of(u) / by.root
        end,
        product = max(1, abs(gradient)) * max(1, abs(scale)) * max(1, 1 / by.root),
        behaviours = { behaviour "vanishing-factor" { strength = "open", ruling = "N20", of = output, when = vanishes,
          text = "where a product of the other factors may count as 0, an infinity gives a NaN",
          gives = { { "undefined", nan } } } } }
    end,
    examples = function(made)
      return { made("batch", "FLOAT32", { 1, 0, 0, 3 }), made("half", "FLOAT16", { 1, 0, 0, 3 }) }
    end })
end

local function of_batch()
  return gradient_operator("BATCH_NORMALIZATION_TRAINING_GRAD", { ruling = "N29", own_mean = true,
    text = "the gradients of BATCH_NORMALIZATION_TRAINING with respect to InputTensor, ScaleTensor and BiasTensor; mean and "
      .. "variance depend on the input",
    gradient = function(by, of, output)
      local function value_of(centre, product)
        return scale / by.root * (gradient - of.total / of.count - centre * (product / of.count) / by.under)
      end
      local sizes_of = abs(gradient) + part(of.total, "magnitude") / of.count
      local second = (abs(x) + abs(mean)) / by.under * (of.size / of.count)
      local product = (1 + abs(scale)) * max(1, 1 / by.root) * (1 + of.count * sizes_of
        + (1 + of.reach) * max(1, 1 / by.under) * (1 + of.size))
      return { value = value_of(x - mean, of.product), flushed = max(1, abs(x)),
        bound = function(u, e)
          return abs(scale) / by.root * (((of.count + 14) * u + e.sqrt) * sizes_of
            + second * ((of.count + 22) * u + e.sqrt)
            + (sizes_of + second) * 2 * by.error(u)
            + least_of(u) * (1 + (1 + abs(x) + abs(mean) + of.size / of.count) / by.under))
            + least_of(u) * (1 / by.root + sizes_of + second)
        end,
        product = product,
        behaviours = {
          infinities("infinities", product, output),
          behaviour "own-mean" { text = "the mean is read from MeanTensor, not computed from InputTensor",
            strength = "open",
            ruling = "N29", of = output, when = gt(of.steps, 0),
            gives = { { "own", value_of(x - of.own_mean, of.own_product) } } },
        } }
    end,
    examples = function(made)
      local results = { 0.5, -0.8333333, -1.166667, 1.5 }
      return { made("batch", "FLOAT32", results), made("half", "FLOAT16", results),
        made("constant", "FLOAT32", { -0.75, 0.75, 0.75, -0.75 }, { InputTensor = { "FLOAT32", { 2, 1, 1, 2 }, { 2, 2, 2, 2 } },
          InputGradientTensor = { "FLOAT32", { 2, 1, 1, 2 }, { 1, 2, 2, 1 } }, MeanTensor = { "FLOAT32", { 1, 1, 1, 1 }, { 2 } },
          VarianceTensor = { "FLOAT32", { 1, 1, 1, 1 }, { 0 } }, OutputScaleGradientTensor = { "FLOAT32", { 1, 1, 1, 1 }, { 0 } },
          OutputBiasGradientTensor = { "FLOAT32", { 1, 1, 1, 1 }, { 6 } } }) }
    end })
end

return {
  define("BATCH_NORMALIZATION", given), define("BATCH_NORMALIZATION_TRAINING", training),
  define("BATCH_NORMALIZATION_GRAD", of_given), define("BATCH_NORMALIZATION_TRAINING_GRAD", of_batch),
}
