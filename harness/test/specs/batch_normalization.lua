-- Four tensors that broadcast, each by itself.
return operator "BATCH_NORMALIZATION" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-type" { same "DataType" },
    rule "output-sizes" { equal(sizes "OutputTensor", sizes "InputTensor") },
    rule "mean-broadcast" { broadcasts("MeanTensor", "InputTensor") },
    rule "variance-broadcast" { broadcasts("VarianceTensor", "InputTensor") },
    rule "scale-broadcast" { broadcasts("ScaleTensor", "InputTensor") },
    rule "bias-broadcast" { broadcasts("BiasTensor", "InputTensor") },
    rule "spatial" { one_of(attr "Spatial", { 0, 1 }) },
    rule "spatial-false" { before = "4_0",
      when(all_of(equal(attr "Spatial", 0), at_least(dims "InputTensor", 2)),
        equal(suffix(sizes "MeanTensor", 2), suffix(sizes "InputTensor", 2))) },
  },
}
