-- The sum of two tensors, with an optional activation of the sum.

local a, b = element "ATensor", element "BTensor"
local sum = a + b
local page = "DML_ELEMENT_WISE_ADD1"

local behaviours = {
  behaviour "elements" { text = "each element is the sum, or FusedActivation of the sum",
    page = page, ruling = "E5, E10" },
  behaviour "nans" { text = "a NaN among the operands gives a NaN, of any payload", ruling = "E6" },
  behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  behaviour "infinities" { text = "a result beyond the largest number becomes an infinity, not the largest number",
    strength = "soft", ruling = "E9" },
}
for _, one in ipairs(fused_behaviours(sum)) do behaviours[#behaviours + 1] = one end

local function fused(id, activation, results)
  return example(id) { ruling = "E12", ATensor = { "FLOAT32", { 1, 1, 1, 3 }, { 1, 2, 3 } },
    BTensor = { "FLOAT32", { 1, 1, 1, 3 }, { 5, 8, -5 } }, FusedActivation = activation,
    OutputTensor = { "FLOAT32", { 1, 1, 1, 3 }, results } }
end

return operator "ELEMENT_WISE_ADD1" {
  parameters = { { "d", dims "ATensor" } },
  situations = { shape_situations "ATensor", number_situations "ATensor", fused_situations "FusedActivation" },
  domains = { ATensor = { -8, 8 }, BTensor = { -8, 8 } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-sizes" { same "Sizes", page = page, ruling = "E1" },
    rule "same-type" { same "DataType", page = page },
    fused_rules("FusedActivation", page, "2_0"),
  },
  results = fused_results { sum, output = "OutputTensor", field = "FusedActivation", error = spacing(sum),
    FLOAT32 = { soft = 0, must = ulp(1) }, FLOAT16 = { soft = 0, must = ulp(1) } },
  behaviours = behaviours,
  examples = {
    fused("sample", "ACTIVATION_ELU(Alpha=0.5)", { 6, 10, -0.43233237 }),
    fused("shrink", "ACTIVATION_SHRINK(Bias=0.5,Threshold=3)", { 5.5, 9.5, 0 }),
    fused("celu", "ACTIVATION_CELU(Alpha=1)", { 6, 10, -0.86466473 }),
    fused("softplus", "ACTIVATION_SOFTPLUS(Steepness=1)", { 6.0024757, 10.000046, 0.12692801 }),
  },
}
