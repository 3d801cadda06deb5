local D, Axis = dims "IndicesTensor", attr "Axis"

local function marks(id, axis, indices, values, output, kind)
  return example(id) { page = "DML_ONE_HOT", Axis = axis, IndicesTensor = indices, ValuesTensor = values,
    OutputTensor = output, indices = kind }
end

return operator "ONE_HOT" {
  groups = { "index", "data" },
  situations = { shape_situations "OutputTensor", index_situations("IndicesTensor"),
    situation "axis-first" { text = "the first of several dimensions is marked", equal(Axis, 0), at_least(D, 3),
      at_least(size("OutputTensor", 0), 3), at_least(size("OutputTensor", -1), 3) },
    situation "more-values" { text = "there are more than two values", at_least(size("ValuesTensor", -1), 3) } },
  parameters = { { "d", D }, { "a", Axis } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "DML_ONE_HOT" },
    rule "same-type" { same "DataType", page = "DML_ONE_HOT" },
    rule "axis-range" { below(Axis, D), page = "DML_ONE_HOT" },
    rule "indices-sizes" { equal(sizes "IndicesTensor", replace(sizes "OutputTensor", Axis, 1)), page = "DML_ONE_HOT" },
    rule "two-values" { at_least(elements "ValuesTensor", 2), page = "DML_ONE_HOT" },
  },
  behaviours = {
    behaviour "marks" {
      text = "the element at the index along Axis is the second value, the others are the first value",
      page = "DML_ONE_HOT" },
    behaviour "negative-indices" { from = "3_0", page = "DML_ONE_HOT", shown_by = { indices = "any negative" },
      text = "a negative index counts from the end of the axis" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { page = "DML_ONE_HOT", ruling = "R3, R4", strength = "must", accepts = "ignored",
      reports = "truncated", text = "if an index is out of range, all of its elements are the first value" },
  },
  indices = { index "IndicesTensor" { into = concat(size("OutputTensor", Axis)) } },
  meaning = function(T)
    local axis, values, chosen = T.Axis, T.ValuesTensor, {}
    for c in values:coordinates() do
      if #chosen < 2 then chosen[#chosen + 1] = values:get(c) else break end
    end
    for c in T.IndicesTensor:coordinates() do
      local size, to = T.OutputTensor.sizes[axis], copy(c)
      local marked = wrap(T.IndicesTensor:integer(c), size)
      for i = 0, size - 1 do
        to[axis] = i
        T.OutputTensor:set(to, i == marked and chosen[2] or chosen[1])
      end
    end
  end,
  examples = {
    marks("rows", 3, { "UINT32", { 1, 1, 3, 1 }, { 0, 3, 2 } }, { "FLOAT32", { 1, 1, 1, 2 }, { 0, 1 } },
      { "FLOAT32", { 1, 1, 3, 4 }, { 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0 } }),
    marks("columns", 2, { "UINT32", { 1, 1, 1, 4 }, { 0, 2, 1, 0 } }, { "FLOAT32", { 1, 1, 1, 2 }, { 0, 1 } },
      { "FLOAT32", { 1, 1, 3, 4 }, { 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0 } }),
    marks("more-values", 3, { "UINT32", { 1, 1, 3, 1 }, { 0, 3, 2 } }, { "FLOAT32", { 1, 1, 3, 1 }, { 4, 2, 9 } },
      { "FLOAT32", { 1, 1, 3, 4 }, { 2, 4, 4, 4, 4, 4, 4, 2, 4, 4, 2, 4 } }),
    marks("negative", 3, { "INT32", { 1, 1, 3, 1 }, { -3, 100, 3 } }, { "FLOAT32", { 1, 1, 1, 2 }, { 0, 1 } },
      { "FLOAT32", { 1, 1, 3, 4 }, { 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 } }, "far"),
  },
}
