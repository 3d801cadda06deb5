local D, P, Q = dims "InputTensor", attr "InputDimensionCount", attr "IndicesDimensionCount"
local DI, K = dims "IndicesTensor", size("IndicesTensor", -1)

return operator "GATHER_ND" {
  introduced = "bed83-141",
  sentences = { page = "bed83", first = 104, last = 182,
    informative = "104, 107..114, 121, 122, 127, 130, 133, 138, 140, 142, 145, 147..150, 164..167, 180..182" },
  groups = { "data", "index" },
  levels = {
    ["2_1"] = { page = "bed83-163, bed83-168..179" },
    ["3_0"] = { page = "bed83-146, bed83-151..162" },
  },
  situations = { shape_situations "InputTensor", index_situations("IndicesTensor", true),
    situation "whole-tuples" { text = "tuples name single elements of an input of several dimensions", equal(K, P), at_least(P, 3) } },
  parameters = { { "d", D }, { "p", P }, { "q", Q }, { "k", K } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "bed83-115, bed83-123, bed83-143", ruling = "A8" },
    rule "same-type" { same "DataType", page = "bed83-123, bed83-144", ruling = "A8" },
    rule "input-rank" { between(P, 1, D), page = "bed83-128", ruling = "A6" },
    rule "indices-rank" { between(Q, 1, DI), page = "bed83-131", ruling = "A6, A7" },
    rule "input-leading-ones" { each(slice(sizes "InputTensor", 0, D - P), 1, 1),
      strength = "soft", page = "bed83-128", ruling = "A5" },
    rule "indices-leading-ones" { each(slice(sizes "IndicesTensor", 0, DI - Q), 1, 1),
      strength = "soft", page = "bed83-131", ruling = "A5" },
    rule "tuple-size" { at_most(K, D), page = "bed83-116" },
    rule "tuple-fits-rank" { when(at_most(K, D), at_most(K, P)), strength = "soft", ruling = "A3" },
    rule "output-rank" { at_most(Q - 1 + P - K, D), ruling = "A4" },
    rule "output-sizes" {
      equal(sizes "OutputTensor",
        fit(concat(slice(sizes "IndicesTensor", DI - Q, DI - 1), slice(sizes "InputTensor", D - P + K, D)),
          dims "OutputTensor")),
      page = "bed83-124, bed83-125", ruling = "A1, A2" },
  },
  behaviours = {
    behaviour "gathers" { text = "each output block is the input block at its index tuple", page = "bed83-105, bed83-106" },
    behaviour "negative-indices" { from = "3_0", page = "bed83-118, bed83-119, bed83-120", ruling = "A21",
      shown_by = { indices = "any negative" }, text = "a negative index counts from the end of its dimension" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { ruling = "A22, A25", strength = "open", accepts = "clamped wrapped truncated signed zero error other",
      text = "an index out of range changes no other element and no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = slice(sizes "InputTensor", D - P, D - P + K), tuple = true } },
  meaning = function(T)
    local input, indices, output = T.InputTensor, T.IndicesTensor, T.OutputTensor
    local d, p, q = input.rank, T.InputDimensionCount, T.IndicesDimensionCount
    local k = indices.sizes[d - 1]
    local tail = p - k
    for c in output:coordinates() do
      local at = zeros(d)
      for i = 0, q - 2 do at[d - q + i] = c[d - tail - (q - 1) + i] end
      local from = zeros(d)
      for i = 0, k - 1 do
        at[d - 1] = i
        from[d - p + i] = nearest(indices:integer(at), input.sizes[d - p + i])
      end
      for i = d - tail, d - 1 do from[i] = c[i] end
      output:set(c, input:get(from))
    end
  end,
  examples = {
    example "1d-remapping" { page = "bed83-134, bed83-135", ruling = "A17", InputDimensionCount = 2, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 2, 2 }, { 0, 1, 2, 3 } },
      IndicesTensor = { "UINT32", { 2, 1 }, { 1, 0 } },
      OutputTensor = { "FLOAT32", { 2, 2 }, { 2, 3, 0, 1 } } },
    example "2d-remapping" { page = "bed83-136, bed83-137", ruling = "A1", InputDimensionCount = 3, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 1, 2, 2, 2 }, { 0, 1, 2, 3, 4, 5, 6, 7 } },
      IndicesTensor = { "UINT32", { 1, 1, 2, 2 }, { 0, 1, 1, 0 } },
      OutputTensor = { "FLOAT32", { 1, 1, 2, 2 }, { 2, 3, 4, 5 } } },
    example "sizes" { page = "bed83-126", ruling = "A1, A2", InputDimensionCount = 5, IndicesDimensionCount = 3,
      InputTensor = { "FLOAT32", { 3, 4, 5, 6, 7 } },
      IndicesTensor = { "UINT32", { 1, 1, 1, 2, 3 } },
      OutputTensor = { "FLOAT32", { 1, 1, 2, 6, 7 } } },
    example "tuples" { page = "bed83-117", InputDimensionCount = 2, IndicesDimensionCount = 3,
      InputTensor = { "FLOAT32", { 1, 1, 4, 6 } },
      IndicesTensor = { "UINT32", { 1, 4, 5, 2 } },
      OutputTensor = { "FLOAT32", { 1, 1, 4, 5 } } },
    example "input-rank" { page = "bed83-129", ruling = "A9", InputDimensionCount = 3, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 1, 1, 4, 6 } },
      IndicesTensor = { "UINT32", { 1, 1, 2, 2 } },
      OutputTensor = { "FLOAT32", { 1, 1, 2, 6 } } },
    example "indices-rank" { page = "bed83-132", InputDimensionCount = 4, IndicesDimensionCount = 3,
      InputTensor = { "FLOAT32", { 2, 2, 2, 2 } },
      IndicesTensor = { "UINT32", { 1, 1, 4, 4 } },
      OutputTensor = { "FLOAT32", { 1, 1, 1, 4 } } },
  },
}
