-- The shapes of MAX_POOLING2: the window may go past the padded input at the end.
return operator "MAX_POOLING2" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-type" { same "DataType" },
    rule "window" { at_least(list "WindowSize", 1) },
    windows { input = "InputTensor", output = "OutputTensor", window = list "WindowSize", dilations = true,
      rounding = "either" },
    rule "batch" { equal(size("OutputTensor", 0), size("InputTensor", 0)) },
    rule "channels" { equal(size("OutputTensor", 1), size("InputTensor", 1)) },
    rule "indices-sizes" {
      when(present "OutputIndicesTensor", equal(sizes "OutputIndicesTensor", sizes "OutputTensor")) },
  },
}
