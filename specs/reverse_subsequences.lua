local D, Axis = dims "InputTensor", attr "Axis"

return operator "REVERSE_SUBSEQUENCES" {
  groups = { "data", "lengths" },
  situations = { shape_situations "InputTensor", index_situations("SequenceLengthsTensor"),
    situation "axis-first" { text = "sequences lie along the first of several dimensions", equal(Axis, 0), at_least(D, 3),
      at_least(size("InputTensor", 0), 3), at_least(size("InputTensor", -1), 3) },
    situation "sequence-past-256" { text = "a sequence has more than 256 elements",
      at_least(size("InputTensor", Axis), 257), indices = "last each" } },
  parameters = { { "d", D }, { "a", Axis } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "DML_REVERSE_SUBSEQUENCES" },
    rule "same-type" { same "DataType", page = "DML_REVERSE_SUBSEQUENCES" },
    rule "axis-range" { below(Axis, D), page = "DML_REVERSE_SUBSEQUENCES" },
    rule "lengths-sizes" { equal(sizes "SequenceLengthsTensor", replace(sizes "InputTensor", Axis, 1)),
      page = "DML_REVERSE_SUBSEQUENCES" },
    rule "output-sizes" { equal(sizes "OutputTensor", sizes "InputTensor"), page = "DML_REVERSE_SUBSEQUENCES" },
  },
  behaviours = {
    behaviour "reverses" { text = "the first elements of each sequence along Axis, as many as its length, are reversed",
      page = "DML_REVERSE_SUBSEQUENCES" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { page = "DML_REVERSE_SUBSEQUENCES", ruling = "R3", strength = "must", accepts = "clamped",
      reports = "truncated", text = "a length above the size of the axis is taken as that size" },
  },
  indices = { index "SequenceLengthsTensor" { into = concat(size("InputTensor", Axis) + 1) } },
  meaning = function(T)
    local axis, size = T.Axis, T.InputTensor.sizes[T.Axis]
    for c in T.SequenceLengthsTensor:coordinates() do
      local length = math.min(T.SequenceLengthsTensor:integer(c), size)
      local from, to = copy(c), copy(c)
      for i = 0, size - 1 do
        to[axis], from[axis] = i, i < length and length - 1 - i or i
        T.OutputTensor:set(to, T.InputTensor:get(from))
      end
    end
  end,
  examples = {
    example "rows" { page = "DML_REVERSE_SUBSEQUENCES", Axis = 3,
      InputTensor = { "FLOAT32", { 1, 1, 3, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } },
      SequenceLengthsTensor = { "UINT32", { 1, 1, 3, 1 }, { 2, 4, 3 } },
      OutputTensor = { "FLOAT32", { 1, 1, 3, 4 }, { 2, 1, 3, 4, 8, 7, 6, 5, 11, 10, 9, 12 } } },
    example "columns" { page = "DML_REVERSE_SUBSEQUENCES", Axis = 2,
      InputTensor = { "FLOAT32", { 1, 1, 3, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 } },
      SequenceLengthsTensor = { "UINT32", { 1, 1, 1, 4 }, { 2, 3, 1, 0 } },
      OutputTensor = { "FLOAT32", { 1, 1, 3, 4 }, { 5, 10, 3, 4, 1, 6, 7, 8, 9, 2, 11, 12 } } },
  },
}
