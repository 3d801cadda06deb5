local D, Axis = dims "InputTensor", attr "Axis"

return operator "SCATTER_ELEMENTS" {
  page = "SCATTER",
  groups = { "data", "index" },
  situations = { shape_situations "InputTensor", index_situations("IndicesTensor", false, true),
    situation "axis-first" { text = "indices name the first of several dimensions", equal(Axis, 0), at_least(D, 3),
      at_least(size("InputTensor", 0), 3), at_least(size("IndicesTensor", -1), 3) } },
  parameters = { { "d", D }, { "a", Axis } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "DML_SCATTER" },
    rule "same-type" { same "DataType", page = "DML_SCATTER" },
    rule "axis-range" { below(Axis, D), page = "DML_SCATTER" },
    rule "indices-sizes" { equal(sizes "IndicesTensor", replace(sizes "InputTensor", Axis, size("IndicesTensor", Axis))),
      text = "IndicesTensor.Sizes must equal InputTensor.Sizes except at Axis",
      strength = "soft", page = "DML_SCATTER", ruling = "A27" },
    rule "updates-sizes" { equal(sizes "UpdatesTensor", sizes "IndicesTensor"), page = "DML_SCATTER" },
    rule "output-sizes" { equal(sizes "OutputTensor", sizes "InputTensor"), page = "DML_SCATTER" },
  },
  behaviours = {
    behaviour "scatters" { page = "DML_SCATTER",
      text = "the output is the input; each index along Axis selects an element that its update replaces" },
    behaviour "negative-indices" { from = "3_0", page = "DML_SCATTER", ruling = "A21",
      shown_by = { indices = "any negative" }, text = "a negative index counts from the end of the axis" },
    behaviour "duplicates" { page = "DML_SCATTER", ruling = "A24", strength = "soft", accepts = "last first each",
      text = "if two indices name one element, either update may win" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { ruling = "A23, A25", strength = "soft", anywhere = true,
      accepts = "ignored clamped wrapped truncated signed error", reports = "other",
      text = "an update with an index out of range changes no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = concat(size("InputTensor", Axis)), distinct = true, along = Axis } },
  meaning = function(T)
    local axis, size = T.Axis, T.InputTensor.sizes[T.Axis]
    for c in T.OutputTensor:coordinates() do T.OutputTensor:set(c, T.InputTensor:get(c)) end
    for c in T.UpdatesTensor:coordinates() do
      local to = copy(c)
      to[axis] = wrap(T.IndicesTensor:integer(c), size)
      if to[axis] then T.OutputTensor:set(to, T.UpdatesTensor:get(c)) end -- out of range: dropped (A23)
    end
  end,
  examples = {
    example "vertical" { ruling = "A18", Axis = 0,
      InputTensor = { "FLOAT32", { 3, 3 }, { 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
      IndicesTensor = { "UINT32", { 2, 3 }, { 1, 0, 2, 0, 2, 1 } },
      UpdatesTensor = { "FLOAT32", { 2, 3 }, { 10, 11, 12, 20, 21, 22 } },
      OutputTensor = { "FLOAT32", { 3, 3 }, { 20, 11, 0, 10, 0, 22, 0, 21, 12 } } },
  },
}
