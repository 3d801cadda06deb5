local D, P, Q = dims "InputTensor", attr "InputDimensionCount", attr "IndicesDimensionCount"
local B = attr "BatchDimensionCount"
local DI, K = dims "IndicesTensor", size("IndicesTensor", -1)

return operator "GATHER_ND1" {
  introduced = "bed83-139",
  groups = { "data", "index" },
  situations = { shape_situations "InputTensor", index_situations("IndicesTensor", true),
    situation "batches" { text = "there are several batch dimensions", at_least(B, 2), at_least(D, 4) } },
  parameters = { { "d", D }, { "p", P }, { "q", Q }, { "b", B }, { "k", K } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "DML_GATHER_ND1" },
    rule "same-type" { same "DataType", page = "DML_GATHER_ND1" },
    rule "input-rank" { between(P, 1, D), page = "DML_GATHER_ND1", ruling = "A6" },
    rule "indices-rank" { between(Q, 1, DI), page = "DML_GATHER_ND1", ruling = "A6, A7" },
    rule "batch-rank" { below(B, P), below(B, Q), page = "DML_GATHER_ND1", ruling = "A10" },
    rule "input-leading-ones" { each(slice(sizes "InputTensor", 0, D - P), 1, 1), strength = "soft", ruling = "A5" },
    rule "indices-leading-ones" { each(slice(sizes "IndicesTensor", 0, DI - Q), 1, 1), strength = "soft", ruling = "A5" },
    rule "batch-sizes" { equal(slice(sizes "IndicesTensor", DI - Q, DI - Q + least(B, Q - 1)),
        slice(sizes "InputTensor", D - P, D - P + least(B, Q - 1))), strength = "soft", ruling = "A10" },
    rule "tuple-size" { at_most(K, D), page = "DML_GATHER_ND1" },
    rule "tuple-fits-rank" { when(at_most(K, D), at_most(K, P - B)), strength = "soft", ruling = "A3" },
    rule "output-rank" { at_most(Q - 1 + P - B - K, D), ruling = "A4" },
    rule "output-sizes" {
      equal(sizes "OutputTensor",
        fit(concat(slice(sizes "IndicesTensor", DI - Q, DI - 1), slice(sizes "InputTensor", D - P + B + K, D)),
          dims "OutputTensor")),
      page = "DML_GATHER_ND1", ruling = "A1, A2" },
  },
  behaviours = {
    behaviour "gathers" { text = "each output block is the input block at its index tuple, within its batch",
      page = "DML_GATHER_ND1" },
    behaviour "negative-indices" { from = "3_0", page = "DML_GATHER_ND1", ruling = "A21",
      shown_by = { indices = "any negative" }, text = "a negative index counts from the end of its dimension" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { ruling = "A22, A25", strength = "open", accepts = "clamped wrapped truncated signed zero error other",
      text = "an index out of range changes no other element and no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = slice(sizes "InputTensor", D - P + B, D - P + B + K), tuple = true } },
  meaning = function(T)
    local input, indices, output = T.InputTensor, T.IndicesTensor, T.OutputTensor
    local d, p, q, b = input.rank, T.InputDimensionCount, T.IndicesDimensionCount, T.BatchDimensionCount
    local k = indices.sizes[d - 1]
    local tail = p - b - k
    for c in output:coordinates() do
      local at, from = zeros(d), zeros(d)
      for i = 0, q - 2 do at[d - q + i] = c[d - tail - (q - 1) + i] end
      for i = 0, b - 1 do from[d - p + i] = at[d - q + i] end
      for i = 0, k - 1 do
        at[d - 1] = i
        from[d - p + b + i] = nearest(indices:integer(at), input.sizes[d - p + b + i])
      end
      for i = d - tail, d - 1 do from[i] = c[i] end
      output:set(c, input:get(from))
    end
  end,
  examples = {
    example "no-batch" { ruling = "A1", InputDimensionCount = 2, IndicesDimensionCount = 2, BatchDimensionCount = 0,
      InputTensor = { "FLOAT32", { 2, 2 }, { 0, 1, 2, 3 } },
      IndicesTensor = { "UINT32", { 2, 1 }, { 1, 0 } },
      OutputTensor = { "FLOAT32", { 2, 2 }, { 2, 3, 0, 1 } } },
    example "batch" { ruling = "A10", InputDimensionCount = 3, IndicesDimensionCount = 2, BatchDimensionCount = 1,
      InputTensor = { "FLOAT32", { 2, 2, 2 }, { 0, 1, 2, 3, 4, 5, 6, 7 } },
      IndicesTensor = { "INT64", { 1, 2, 1 }, { 1, 0 } },
      OutputTensor = { "FLOAT32", { 1, 2, 2 }, { 2, 3, 4, 5 } } },
  },
}
