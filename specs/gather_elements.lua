local D, Axis = dims "InputTensor", attr "Axis"

return operator "GATHER_ELEMENTS" {
  introduced = "ce721-125",
  sentences = { page = "ce721", first = 103, last = 166,
    informative = "103, 106..112, 118, 119, 121, 124, 126, 129, 131..134, 148..151, 164..166" },
  groups = { "data", "index" },
  levels = {
    ["2_1"] = { page = "ce721-147, ce721-152..163" },
    ["3_0"] = { page = "ce721-130, ce721-135..146" },
  },
  situations = { shape_situations "InputTensor", index_situations("IndicesTensor"),
    situation "axis-first" { text = "indices name the first of several dimensions", equal(Axis, 0), at_least(D, 3),
      at_least(size("InputTensor", 0), 3), at_least(size("IndicesTensor", -1), 3) },
    situation "fewer-along-axis" { text = "there are fewer indices than elements along the axis",
      at_most(size("IndicesTensor", Axis), 2), at_least(size("InputTensor", Axis), 5) } },
  parameters = { { "d", D }, { "a", Axis } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "ce721-127", ruling = "A28" },
    rule "same-type" { same "DataType", page = "ce721-120, ce721-128", ruling = "A14" },
    rule "axis-range" { below(Axis, D), page = "ce721-122", ruling = "A28" },
    rule "indices-sizes" { equal(sizes "IndicesTensor", replace(sizes "InputTensor", Axis, size("IndicesTensor", Axis))),
      text = "IndicesTensor.Sizes must equal InputTensor.Sizes except at Axis",
      strength = "soft", page = "ce721-114", ruling = "A27" },
    rule "output-sizes" { equal(sizes "OutputTensor", sizes "IndicesTensor"), page = "ce721-120" },
  },
  behaviours = {
    behaviour "gathers" { text = "each output element is the input element that its index names along Axis",
      page = "ce721-104, ce721-105, ce721-113" },
    behaviour "negative-indices" { from = "3_0", page = "ce721-115, ce721-116, ce721-117", ruling = "A21",
      shown_by = { indices = "any negative" }, text = "a negative index counts from the end of the axis" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { ruling = "A22, A25", strength = "open", accepts = "clamped wrapped truncated signed zero error other",
      text = "an index out of range changes no other element and no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = concat(size("InputTensor", Axis)) } },
  meaning = function(T)
    local axis, size = T.Axis, T.InputTensor.sizes[T.Axis]
    for c in T.OutputTensor:coordinates() do
      local from = copy(c)
      from[axis] = nearest(T.IndicesTensor:integer(c), size)
      T.OutputTensor:set(c, T.InputTensor:get(from))
    end
  end,
  examples = {
    example "vertical" { page = "ce721-123", ruling = "A14, A17", Axis = 0,
      InputTensor = { "FLOAT32", { 3, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 } },
      IndicesTensor = { "UINT32", { 2, 3 }, { 1, 2, 0, 2, 0, 0 } },
      OutputTensor = { "FLOAT32", { 2, 3 }, { 4, 8, 3, 7, 2, 3 } } },
    example "vertical-literal" { page = "ce721-123", ruling = "A14", rejected = "same-type", Axis = 0,
      InputTensor = { "FLOAT32", { 3, 3 } },
      IndicesTensor = { "UINT32", { 2, 3 } },
      OutputTensor = { "UINT32", { 2, 3 } } },
  },
}
