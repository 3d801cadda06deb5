local offsets, extents, steps = list "InputWindowOffsets", list "InputWindowSizes", list "InputWindowStrides"

return operator "SLICE1" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount", equal(attr "DimensionCount", dims "InputTensor") },
    rule "same-type" { same "DataType" },
    rule "window-nonempty" { at_least(extents, 1) },
    rule "window-inside" { at_most(extents + offsets, sizes "InputTensor") },
    rule "stride-nonzero" { at_least(abs(steps), 1), strength = "soft" },
    rule "output-sizes" {
      when(all_of(at_least(abs(steps), 1), at_least(extents, 1)),
        at_most(sizes "OutputTensor", 1 + (extents - 1) // abs(steps))) },
  },
}
