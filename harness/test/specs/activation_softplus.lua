return operator "ACTIVATION_SOFTPLUS" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-sizes" { same "Sizes" },
    rule "same-type" { same "DataType" },
    rule "steepness" { at_least(attr "Steepness", 1.0), before = "6_4" },
  },
}
