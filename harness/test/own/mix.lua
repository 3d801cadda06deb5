-- An operator that DirectML does not have, for test_own_operator.sh; ../mix_device.c computes it.
struct "MIX" {
  number = 1234,
  fields = {
    { "uint", "Pad" },
    { "input", "ATensor" }, { "input", "BTensor", like = "ATensor" }, { "output", "OutputTensor", like = "ATensor" },
    { "uint", "WeightCount" }, { "floats", "Weights", count = "WeightCount" },
    { "enum", "Mode", type = "MIX_MODE" }, { "float", "Bias" },
  },
  enums = { MIX_MODE = { { "SUM", 0 }, { "MEAN", 1 } } },
  levels = { { "1_0", ATensor = { { "FLOAT32" }, 1, 4 } }, { "3_0", ATensor = { { "FLOAT32" }, 1, 8 } } },
  same = { { "DataType+DimensionCount+Sizes", "ATensor", "BTensor", "OutputTensor" } },
  in_place = true,
}

local a, b, bias = element "ATensor", element "BTensor", attribute "Bias"
local sum = entry("Weights", 0) * a + entry("Weights", 1) * b
local bound = 8 * u * (abs(entry("Weights", 0) * a) + abs(entry("Weights", 1) * b) + abs(bias)) + smallest_normal
local function of(mode, value)
  return result "OutputTensor" { value + bias, FLOAT32 = bound, given = { "Mode", mode } }
end

return operator "MIX" {
  page = "Our operators, page 3",
  parameters = { { "d", dims "ATensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-sizes" { same "Sizes" },
    rule "same-type" { same "DataType" },
    rule "weights" { equal(attr "WeightCount", 2) },
    rule "weights-given" { present "Weights" },
    rule "mode" { one_of(attr "Mode", { 0, 1 }) },
  },
  domains = { Weights = { -4, 4 }, Bias = { -1, 1 } },
  results = { of("SUM", sum), of("MEAN", sum / 2) },
  behaviours = { behaviour "elements" { text = "each element is a weighted sum, or half of it, plus Bias" } },
  examples = {
    example "mean" { Pad = 7, WeightCount = 2, Weights = { 2, 3 }, Mode = "MEAN", Bias = 0.5,
      ATensor = { "FLOAT32", { 1, 2 }, { 1, 2 } }, BTensor = { "FLOAT32", { 1, 2 }, { 4, 8 } },
      OutputTensor = { "FLOAT32", { 1, 2 }, { 7.5, 14.5 } } },
  },
}
