-- ADAM_OPTIMIZER: one step of the Adam optimizer: new moments of the gradient, and new parameters from them.

local page = "DML_ADAM_OPTIMIZER"
local X, M, V, D, T = "InputParametersTensor", "InputFirstMomentTensor", "InputSecondMomentTensor", "GradientTensor",
  "TrainingStepTensor"
local out_x, out_m, out_v = "OutputParametersTensor", "OutputFirstMomentTensor", "OutputSecondMomentTensor"
local x, m, v, d, t = element(X), element(M), element(V), element(D), element(T)
local rate, first, second, epsilon = attribute "LearningRate", attribute "Beta1", attribute "Beta2", attribute "Epsilon"

local moment = named(first * m + (1 - first) * d, "M'")
local square = named(second * v + (1 - second) * d * d, "V'")
local rest_first, rest_second = 1 - pow(first, t), 1 - pow(second, t)
local corrected = named(rate * (sqrt(rest_second) / rest_first), "rate")
local change = named(corrected * moment / (sqrt(square) + epsilon), "change")

-- The errors: three roundings of each term, of which some may be flushed; a power has an absolute error near 2^-22,
-- which counts for more the nearer it is to 1.
local moment_terms = abs(first * m) + abs((1 - first) * d)
local square_terms = abs(second * v) + abs((1 - second) * d * d)
local function flushed(u_) return 3 * (u_ == 0x1p-24 and 0x1p-126 or 0x1p-14) end
local function of_terms(terms, u_) return 3 * u_ * terms + flushed(u_) end
-- A negative Epsilon cancels a part of the root, and the root's error counts for more.
local cancelling = sqrt(square) / abs(sqrt(square) + epsilon)
-- The most that errors of the powers and of the root change the factor of the change, where they are as large as
-- function_limits() lets them be.
local function of_functions(u_)
  local limits = function_limits(u_)
  local function share(beta, rest) return 2 * u_ * limits.pow(beta, t) * pow(beta, t) / abs(rest) end
  return share(first, rest_first) + share(second, rest_second) + 2 * u_ * limits.sqrt * (1 + cancelling)
end
local function of_change(u_, hard)
  local of_moment = of_terms(moment_terms, u_) * abs(corrected / (sqrt(square) + epsilon))
  local of_square = of_terms(square_terms, u_) / (2 * sqrt(square) * (sqrt(square) + epsilon))
  local relative = 14 * u_ + 2 * u_ * cancelling + 4 * u_ / abs(rest_first) + 4 * u_ / abs(rest_second) +
    choose(gt(square, 0), of_square, 0)
  if hard then relative = relative + 2 * of_functions(u_) end
  return 2 * u_ * abs(x) + of_moment + abs(change) * relative
end
local allowed = choose(gt(spacing_of(X, 1), 0x1p-20), of_functions(0x1p-11), of_functions(0x1p-24))
-- A divisor that loses a share of itself divides by as little as the rest.
local most_changed = abs(change) * 2 * allowed / (1 - allowed)

local function result_of(name, value, bound)
  local narrow = bound(0x1p-24) + ulp(0.5)
  return result(name) { value, FLOAT32 = { soft = narrow, must = max(narrow, bound(0x1p-24, true) + ulp(0.5)) },
    FLOAT16 = { soft = narrow, must = max(narrow, bound(0x1p-11, true) + ulp(1)) } }
end

local function open(id, of, ruling, text, when, gives)
  return behaviour(id) { of = of, strength = "open", ruling = ruling, text = text, when = when,
    gives = gives or "anything" }
end
local beyond = "where parts are beyond the type, any value is right"
local beside = "an infinite part beside one that is beyond the type may give a NaN"
local function if_finite(part_of) return choose(lt(abs(part_of), inf), abs(part_of), 0) end
local parts = max(max(abs(change), abs(rate * moment)), max(square_terms, abs(corrected)))
local in_range = both(both(ge(first, 0), lt(first, 1)), both(ge(second, 0), lt(second, 1)))

local function single(value) return { "FLOAT32", { 1, 1, 1, 1 }, { value } } end
local function stepped(id, number, before, gradient, after)
  return example(id) { ruling = "E12", LearningRate = 0.1, Beta1 = 0.9, Beta2 = 0.999, Epsilon = 1e-8,
    [X] = single(before[1]), [M] = single(before[2]), [V] = single(before[3]), [D] = single(gradient),
    [T] = { "UINT32", { 1, 1, 1, 1 }, { number } },
    [out_x] = single(after[1]), [out_m] = single(after[2]), [out_v] = single(after[3]) }
end

local function adam_situations()
  local long = at_least(size(X, -1), 257)
  local function with(id, text, values) return situation(id) { text = text, values = values } end
  local function apart(tensor, kind, text)
    return situation(tensor .. "-" .. kind) { text = tensor .. text, at_least(size(X, -1), 33), at_least(size(X, -2), 2),
      strides = { [tensor] = kind } }
  end
  return {
    shape_situations(X), number_situations(X),
    -- a Beta of 1 or above, or below 0, breaks the rule beta-range
    value_situations("Beta1-nan Beta1-infinite Beta1-minus-infinite Beta1-one Beta1-largest Beta1-rounded " ..
      "Beta2-nan Beta2-infinite Beta2-minus-infinite Beta2-one Beta2-largest Beta2-rounded"),
    situation "first-step" { text = "TrainingStep is 1, as every other element is", fill = "one", long,
      values = { Beta1 = 0.9, Beta2 = 0.999 } },
    situation "zero-step" { text = "TrainingStep is 0, and so is every other element", fill = "zero", long },
    situation "extremes" { text = "the elements, TrainingStep among them, are the extremes of their types", fill = "special",
      long },
    situation "sparse-gradient" { text = "half of the elements are 0", fill = "sparse", long, values = { Epsilon = 0x1p-20 } },
    situation "denormals" { text = "the elements are denormals, whose squares vanish", fill = "denormals", long },
    situation "units" { text = "the magnitudes of all elements are 1 or 2", fill = "units", long },
    with("usual", "the attributes are those of the paper",
      { LearningRate = 0.001, Beta1 = 0.9, Beta2 = 0.999, Epsilon = 1e-8 }),
    with("no-memory", "Beta1 and Beta2 are 0, so that the moments are those of the gradient", { Beta1 = 0.0, Beta2 = 0.0 }),
    with("no-epsilon", "Epsilon is 0, with the usual Betas", { Beta1 = 0.9, Beta2 = 0.999, Epsilon = 0.0 }),
    with("long-memory", "Beta1 and Beta2 are next to 1, so that 1 - Beta^t cancels",
      { Beta1 = 0x1.fffffep-1, Beta2 = 0x1.fffffep-1 }),
    with("large-epsilon", "Epsilon is 1, as some models have it", { Beta1 = 0.9, Beta2 = 0.999, Epsilon = 1.0 }),
    with("ascent", "LearningRate is negative", { LearningRate = -0.5, Beta1 = 0.5, Beta2 = 0.5 }),
    apart(D, "broadcast", " repeats elements"), apart(D, "permuted", " has dimensions in another order in memory"),
    apart(M, "padded", " has gaps between its rows"), apart(V, "permuted", " has dimensions in another order in memory"),
    apart(out_x, "padded", " has gaps between its rows"), apart(out_m, "permuted", " has dimensions in another order in memory"),
    apart(out_v, "padded", " has gaps between its rows"),
  }
end

return operator "ADAM_OPTIMIZER" {
  parameters = { { "d", dims(X) } },
  rules = {
    rule "same-type" { same "DataType", page = page },
    rule "same-sizes" { same "DimensionCount", same "Sizes", page = page, ruling = "E1" },
    rule "step-scalar" { each(sizes(T), 1, 1), page = page },
    rule "beta-range" { strength = "soft", page = page, text = "Beta1 and Beta2 should be from 0 to below 1",
      at_least(attr "Beta1", 0.0), at_most(attr "Beta1", 0x1.fffffep-1), at_least(attr "Beta2", 0.0),
      at_most(attr "Beta2", 0x1.fffffep-1) },
  },
  situations = adam_situations(),
  domains = { [X] = { -2, 2 }, [M] = { -2, 2 }, [V] = { 0.0625, 4 }, [D] = { -2, 2 }, [T] = { 1, 1000 } },
  results = {
    result_of(out_x, x - change, of_change),
    result_of(out_m, moment, function(u_) return of_terms(moment_terms, u_) end),
    result_of(out_v, square, function(u_) return of_terms(square_terms, u_) end),
  },
  behaviours = {
    behaviour "updates" { page = page, ruling = "E5, O1",
      text = "M' and V' are the decayed moments of the gradient; X' is X - LearningRate * sqrt(1 - Beta2^t) / " ..
        "(1 - Beta1^t) * M' / (sqrt(V') + Epsilon)" },
    behaviour "nans" { text = "a NaN among the elements of a result gives a NaN", ruling = "E6" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    open("first-step", out_x, "O2", "a TrainingStep of 0 gives any value", lt(t, 1)),
    open("undefined", out_x, "O2",
      "where V' is not a positive normal number, or Epsilon makes the divisor 0 or less, any value is right",
      negated(both(ge(square, smallest_normal), gt(sqrt(square) + epsilon, 0)))),
    open("betas", out_x, "O2", "Betas out of range, and attributes that are not finite, give any value",
      negated(both(in_range, lt(abs(rate) + abs(epsilon), inf)))),
    behaviour "magnified" { of = out_x, strength = "soft", ruling = "S3", when = both(ge(allowed, 0.5), lt(allowed, 1)),
      gives = { { "magnified", x - within(change, most_changed) } },
      text = "where errors of the functions may be half of 1 - Beta^t or of the divisor, dividing does not magnify them" },
    open("cancelled", out_x, "S3", "where errors of the functions may be all of 1 - Beta^t or of the divisor, any value is " ..
      "right", ge(allowed, 1)),
    open("range", out_x, "S3", beyond,
      negated(both(lt(parts, largest), gt(min(abs(rest_first), abs(rest_second)), 0)))),
    open("range-first", out_m, "S3", beyond, both(lt(moment_terms, inf), gt(moment_terms, largest))),
    open("range-second", out_v, "S3", beyond, both(lt(abs(d), inf), gt(max(d * d, square_terms), largest))),
    open("range-first-infinite", out_m, "S3", beside, both(is_inf(moment_terms),
      gt(if_finite(first * m) + if_finite((1 - first) * d), largest)), { { "undefined", nan } }),
    open("range-second-infinite", out_v, "S3", beside, both(is_inf(d), gt(if_finite(second * v), largest)),
      { { "undefined", nan } }),
    open("betas-first", out_m, "O2", "a Beta that is not finite gives any value", negated(lt(abs(first), inf))),
    open("betas-second", out_v, "O2", "a Beta that is not finite gives any value", negated(lt(abs(second), inf))),
  },
  examples = {
    stepped("first", 1, { 1, 0, 0 }, 0.5, { 0.9000000618, 0.0500000119, 0.0002499967813 }),
    stepped("second", 2, { 0.9000000618, 0.0500000119, 0.0002499967813 }, -0.25,
      { 0.8733663478, 0.0200000036, 0.000312245983 }),
  },
}
