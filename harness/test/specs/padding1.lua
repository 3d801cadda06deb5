-- A mode that a level adds.
return operator "PADDING1" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount", equal(attr "DimensionCount", dims "InputTensor") },
    rule "same-type" { same "DataType" },
    rule "mode-level" { before_level("6_4", one_of(attr "PaddingMode", { 0, 1, 2, 3 })),
      from_level("6_4", one_of(attr "PaddingMode", { 0, 1, 2, 3, 4 })) },
    rule "value-type" { equal(attr "PaddingValueDataType", data_type "OutputTensor") },
    rule "output-sizes" { equal(sizes "OutputTensor", sizes "InputTensor" + list "StartPadding" + list "EndPadding") },
  },
}
