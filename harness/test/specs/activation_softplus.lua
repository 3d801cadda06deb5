return operator "ACTIVATION_SOFTPLUS" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    elementwise("InputTensor", "OutputTensor"),
    rule "steepness" { at_least(attr "Steepness", 1.0), before = "6_4" },
  },
}
