local D, Axis, I = dims "InputTensor", attr "Axis", attr "IndexDimensions"
local DI = dims "IndicesTensor"
local gathered = concat(slice(sizes "InputTensor", 0, Axis), slice(sizes "IndicesTensor", DI - I, DI),
  slice(sizes "InputTensor", Axis + 1, D))

return operator "GATHER" {
  groups = { "data", "index" },
  situations = { shape_situations "InputTensor", index_situations("IndicesTensor"),
    situation "leading-indices" { text = "several indices, along the first of several dimensions", equal(Axis, 0),
      at_least(I, 1), at_least(D, 3), at_least(size("InputTensor", 0), 3), at_least(size("IndicesTensor", -1), 3) },
    situation "no-index-dimensions" { text = "IndexDimensions is 0", equal(I, 0), at_least(D, 3) } },
  parameters = { { "d", D }, { "a", Axis }, { "i", I } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "DML_GATHER" },
    rule "same-type" { same "DataType", page = "DML_GATHER" },
    rule "axis-range" { below(Axis, D), page = "DML_GATHER" },
    rule "index-rank" { between(I, 0, DI), page = "DML_GATHER", ruling = "A12" },
    rule "indices-leading-ones" { each(slice(sizes "IndicesTensor", 0, DI - I), 1, 1),
      strength = "soft", page = "DML_GATHER", ruling = "A5" },
    rule "output-rank" { each(slice(gathered, 0, greatest(I - 1, 0)), 1, 1), ruling = "A13",
      text = "the sizes before Axis, the index sizes and the sizes after Axis must fit into DimensionCount sizes" },
    rule "output-sizes" { equal(sizes "OutputTensor", fit(gathered, dims "OutputTensor")), page = "DML_GATHER" },
  },
  behaviours = {
    behaviour "gathers" { text = "each output block is the input slice that its index names along Axis",
      page = "DML_GATHER" },
    behaviour "negative-indices" { from = "3_0", page = "DML_GATHER", ruling = "A21", shown_by = { indices = "any negative" },
      text = "a negative index counts from the end of the axis" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { page = "DML_GATHER", ruling = "A22, A25", strength = "open", bounded = true,
      accepts = "clamped wrapped truncated signed zero other",
      text = "an index out of range changes no other element and no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = concat(size("InputTensor", Axis)) } },
  meaning = function(T)
    local input, indices, output = T.InputTensor, T.IndicesTensor, T.OutputTensor
    local d, axis, i = input.rank, T.Axis, T.IndexDimensions
    local after = d - 1 - axis
    for c in output:coordinates() do
      local at, from = zeros(d), zeros(d)
      for j = 0, i - 1 do at[d - i + j] = c[d - after - i + j] or 0 end -- 0: the leading size of 1 was dropped
      for j = 0, axis - 1 do from[j] = c[j - (i - 1)] or 0 end
      for j = axis + 1, d - 1 do from[j] = c[j] end
      from[axis] = nearest(indices:integer(at), input.sizes[axis])
      output:set(c, input:get(from))
    end
  end,
  examples = {
    example "vector" { ruling = "A12", Axis = 0, IndexDimensions = 1,
      InputTensor = { "FLOAT32", { 4 }, { 1, 2, 3, 4 } },
      IndicesTensor = { "UINT32", { 3 }, { 3, 0, 1 } },
      OutputTensor = { "FLOAT32", { 3 }, { 4, 1, 2 } } },
    example "columns" { ruling = "A13", Axis = 1, IndexDimensions = 1,
      InputTensor = { "FLOAT32", { 3, 2 }, { 1, 2, 3, 4, 5, 6 } },
      IndicesTensor = { "UINT32", { 1, 2 }, { 1, 0 } },
      OutputTensor = { "FLOAT32", { 3, 2 }, { 2, 1, 4, 3, 6, 5 } } },
    example "columns-literal" { ruling = "A13", rejected = "output-rank", Axis = 1, IndexDimensions = 2,
      InputTensor = { "FLOAT32", { 3, 2 } },
      IndicesTensor = { "UINT32", { 1, 2 } },
      OutputTensor = { "FLOAT32", { 1, 2 } } },
  },
}
