return operator "REDUCE" {
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-dims" { equal(dims "OutputTensor", dims "InputTensor") },
    rule "function" { one_of(attr "Function", { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 }) },
    axes("Axes", "AxisCount", dims "InputTensor"),
    rule "axes-count" { at_least(attr "AxisCount", 1), strength = "open" },
    rule "output-sizes" { equal(sizes "OutputTensor", replace(sizes "InputTensor", list "Axes", 1)) },
    rule "same-type" { any_of(member(attr "Function", concat(0, 1)),
      equal(data_type "OutputTensor", data_type "InputTensor")) },
  },
}
