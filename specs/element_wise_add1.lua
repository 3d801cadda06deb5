-- The sum of two tensors, after which an activation may follow.

local a, b = element "ATensor", element "BTensor"
local sum = a + b
local page = "DML_ELEMENT_WISE_ADD1"
local overflows = choose(gt(u, 0x1p-20), 11, 88) -- e^t, in FLOAT16 and in FLOAT32
local function nan_of(id, activation, gives, value)
  return behaviour(id) { strength = "open", ruling = "E25", when = is_nan(value or sum), gives = gives,
    activation = activation,
    text = "the activation of a NaN is a NaN, or what its limits or its last branch give" }
end

local function fused(id, activation, results)
  return example(id) { ruling = "E12", ATensor = { "FLOAT32", { 1, 1, 1, 3 }, { 1, 2, 3 } },
    BTensor = { "FLOAT32", { 1, 1, 1, 3 }, { 5, 8, -5 } }, FusedActivation = activation,
    OutputTensor = { "FLOAT32", { 1, 1, 1, 3 }, results } }
end

return operator "ELEMENT_WISE_ADD1" {
  parameters = { { "d", dims "ATensor" } },
  domains = { ATensor = { -8, 8 }, BTensor = { -8, 8 } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-sizes" { same "Sizes", page = page, ruling = "E1" },
    rule "same-type" { same "DataType", page = page },
    fused_rules("FusedActivation", page),
  },
  results = fused_results { sum, output = "OutputTensor", field = "FusedActivation", error = spacing(sum),
    FLOAT32 = { soft = 0, must = ulp(1) }, FLOAT16 = { soft = 0, must = ulp(1) } },
  behaviours = {
    behaviour "elements" { text = "each element is the sum, after FusedActivation if that is given", page = page, ruling = "E5, E10" },
    behaviour "nans" { text = "a NaN among the operands gives a NaN, of any payload", ruling = "E6" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    behaviour "infinities" { text = "what is beyond the largest number becomes an infinity, not that number",
      strength = "soft", ruling = "E9" },
    nan_of("nan-relu", "ACTIVATION_RELU", { { "propagated", nan }, { "0", 0 } }),
    nan_of("nan-celu", "ACTIVATION_CELU", { { "propagated", nan }, { "0", 0 } }),
    nan_of("nan-thresholded-relu", "ACTIVATION_THRESHOLDED_RELU", { { "propagated", nan } }),
    nan_of("nan-shrink", "ACTIVATION_SHRINK", { { "propagated", nan } }),
    nan_of("nan-hard-sigmoid", "ACTIVATION_HARD_SIGMOID", { { "propagated", nan }, { "0", 0 }, { "1", 1 } },
      member "Alpha" * sum + member "Beta"), -- also of 0 times infinity
    behaviour "celu-alpha" { text = "CELU with an Alpha of 0 gives any value", strength = "open", ruling = "E25",
      activation = "ACTIVATION_CELU", when = eq(member "Alpha", 0), gives = "anything" },
    behaviour "softplus-steepness" { text = "SOFTPLUS with a Steepness of 0 or below gives any value", strength = "open",
      ruling = "E25", activation = "ACTIVATION_SOFTPLUS", when = negated(gt(member "Steepness", 0)), gives = "anything" },
    behaviour "softplus-overflow" { text = "e^t within SOFTPLUS does not become an infinity", strength = "soft", ruling = "E25",
      activation = "ACTIVATION_SOFTPLUS", when = gt(member "Steepness" * sum, overflows), gives = { { "infinity", inf } } },
    behaviour "parametric-softplus-overflow" { text = "e^t within PARAMETRIC_SOFTPLUS does not become an infinity",
      strength = "soft", ruling = "E25", activation = "ACTIVATION_PARAMETRIC_SOFTPLUS",
      when = gt(member "Beta" * sum, overflows), gives = { { "infinity", member "Alpha" * inf } } },
    behaviour "infinite-softsign" { text = "SOFTSIGN of an infinity is 1, -1 or a NaN", strength = "open", ruling = "E25",
      activation = "ACTIVATION_SOFTSIGN", when = is_inf(sum), gives = { { "1", choose(lt(sum, 0), -1, 1) } } },
    behaviour "infinite-gelu" { text = "GELU of minus infinity is 0 or a NaN", strength = "open", ruling = "E25",
      activation = "ACTIVATION_GELU", when = both(is_inf(sum), lt(sum, 0)), gives = { { "0", 0 } } },
  },
  examples = {
    fused("sample", "ACTIVATION_ELU(Alpha=0.5)", { 6, 10, -0.43233237 }),
    fused("shrink", "ACTIVATION_SHRINK(Bias=0.5,Threshold=3)", { 5.5, 9.5, 0 }),
    fused("celu", "ACTIVATION_CELU(Alpha=1)", { 6, 10, -0.86466473 }),
    fused("softplus", "ACTIVATION_SOFTPLUS(Steepness=1)", { 6.0024757, 10.000046, 0.12692801 }),
  },
}
