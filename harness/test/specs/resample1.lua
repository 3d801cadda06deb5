return operator "RESAMPLE1" {
  parameters = { { "d", dims "InputTensor" } },
  domains = { Scales = { 0.25, 4 } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-type" { same "DataType" },
    rule "mode" { one_of(attr "InterpolationMode", { 0, 1 }) },
    rule "scale-count" { equal(attr "DimensionCount", dims "InputTensor") },
    rule "scales" { at_most(list "Scales", 65536.0), above(list "Scales", 0.0), strength = "soft" },
    rule "offsets" { finite(list "InputPixelOffsets"), between(list "OutputPixelOffsets", -4.0, 4.0),
      strength = "soft" },
  },
}
