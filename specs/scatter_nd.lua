local D, P, Q = dims "InputTensor", attr "InputDimensionCount", attr "IndicesDimensionCount"
local DI, K = dims "IndicesTensor", size("IndicesTensor", -1)

return operator "SCATTER_ND" {
  introduced = "c050c-138",
  sentences = { page = "c050c", first = 103, last = 187,
    informative = "103, 107..114, 121, 127, 128, 130, 133, 137, 139, 142, 144..147, 165..168, 185..187" },
  groups = { "data", "index" },
  levels = {
    ["2_1"] = { page = "c050c-164, c050c-169..184" },
    ["3_0"] = { page = "c050c-143, c050c-148..163" },
  },
  situations = { shape_situations "InputTensor", index_situations("IndicesTensor", true, true),
    situation "whole-tuples" { text = "tuples name single elements of an input of several dimensions", equal(K, P), at_least(P, 3) } },
  parameters = { { "d", D }, { "p", P }, { "q", Q }, { "k", K } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "c050c-115, c050c-123, c050c-140", ruling = "A8, A16" },
    rule "same-type" { same "DataType", page = "c050c-129, c050c-141", ruling = "A8" },
    rule "input-rank" { between(P, 1, D), page = "c050c-131", ruling = "A6" },
    rule "indices-rank" { between(Q, 1, DI), page = "c050c-134", ruling = "A6, A7" },
    rule "input-leading-ones" { each(slice(sizes "InputTensor", 0, D - P), 1, 1),
      strength = "soft", page = "c050c-131", ruling = "A5" },
    rule "indices-leading-ones" { each(slice(sizes "IndicesTensor", 0, DI - Q), 1, 1),
      strength = "soft", page = "c050c-134", ruling = "A5" },
    rule "tuple-size" { at_most(K, D), page = "c050c-116" },
    rule "tuple-fits-rank" { when(at_most(K, D), at_most(K, P)), strength = "soft", ruling = "A3" },
    rule "updates-rank" { at_most(Q - 1 + P - K, D), ruling = "A4" },
    rule "updates-sizes" {
      equal(sizes "UpdatesTensor",
        fit(concat(slice(sizes "IndicesTensor", DI - Q, DI - 1), slice(sizes "InputTensor", D - P + K, D)),
          dims "UpdatesTensor")),
      page = "c050c-124, c050c-125", ruling = "A1, A2" },
    rule "output-sizes" { equal(sizes "OutputTensor", sizes "InputTensor"), page = "c050c-129", ruling = "A8" },
  },
  behaviours = {
    behaviour "scatters" { text = "the output is the input; each index tuple selects a block that its update replaces",
      page = "c050c-104, c050c-105, c050c-122", ruling = "A11" },
    behaviour "negative-indices" { from = "3_0", page = "c050c-118, c050c-119, c050c-120", ruling = "A21",
      shown_by = { indices = "any negative" }, text = "a negative index counts from the end of its dimension" },
    behaviour "duplicates" { page = "c050c-106", ruling = "A24", strength = "soft", accepts = "last first each",
      text = "if two index tuples name one block, either update may win" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { ruling = "A23, A25", strength = "soft", anywhere = true,
      accepts = "ignored clamped wrapped truncated signed error", reports = "other",
      text = "an update with an index out of range changes no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = slice(sizes "InputTensor", D - P, D - P + K), tuple = true, distinct = true } },
  meaning = function(T)
    local input, indices, updates, output = T.InputTensor, T.IndicesTensor, T.UpdatesTensor, T.OutputTensor
    local d, p, q = input.rank, T.InputDimensionCount, T.IndicesDimensionCount
    local k = indices.sizes[d - 1]
    local tail = p - k
    for c in output:coordinates() do output:set(c, input:get(c)) end
    for c in updates:coordinates() do
      local at, to, inside = zeros(d), zeros(d), true
      for i = 0, q - 2 do at[d - q + i] = c[d - tail - (q - 1) + i] end
      for i = 0, k - 1 do
        at[d - 1] = i
        to[d - p + i] = wrap(indices:integer(at), input.sizes[d - p + i])
        inside = inside and to[d - p + i]
      end
      for i = d - tail, d - 1 do to[i] = c[i] end
      if inside then output:set(to, updates:get(c)) end -- out of range: dropped (A23)
    end
  end,
  examples = {
    example "vector" { page = "c050c-136", ruling = "A15, A16", InputDimensionCount = 1, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 1, 8 }, { 1, 2, 3, 4, 5, 6, 7, 8 } },
      IndicesTensor = { "UINT32", { 4, 1 }, { 4, 3, 1, 7 } },
      UpdatesTensor = { "FLOAT32", { 1, 4 }, { 9, 10, 11, 12 } },
      OutputTensor = { "FLOAT32", { 1, 8 }, { 1, 11, 3, 10, 9, 6, 7, 12 } } },
    example "vector-literal-ranks" { page = "c050c-136", ruling = "A16", rejected = "same-dims",
      InputDimensionCount = 1, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 8 } },
      IndicesTensor = { "UINT32", { 4, 1 } },
      UpdatesTensor = { "FLOAT32", { 4 } },
      OutputTensor = { "FLOAT32", { 8 } } },
    example "vector-literal-indices" { page = "c050c-136", ruling = "A15", rejected = "data-types",
      InputDimensionCount = 1, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 1, 8 } },
      IndicesTensor = { "FLOAT32", { 4, 1 } },
      UpdatesTensor = { "FLOAT32", { 1, 4 } },
      OutputTensor = { "FLOAT32", { 1, 8 } } },
    example "sizes" { page = "c050c-126", ruling = "A1, A2", InputDimensionCount = 5, IndicesDimensionCount = 3,
      InputTensor = { "FLOAT32", { 3, 4, 5, 6, 7 } },
      IndicesTensor = { "UINT32", { 1, 1, 1, 2, 3 } },
      UpdatesTensor = { "FLOAT32", { 1, 1, 2, 6, 7 } },
      OutputTensor = { "FLOAT32", { 3, 4, 5, 6, 7 } } },
    example "tuples" { page = "c050c-117", InputDimensionCount = 2, IndicesDimensionCount = 3,
      InputTensor = { "FLOAT32", { 1, 1, 4, 6 } },
      IndicesTensor = { "UINT32", { 1, 4, 5, 2 } },
      UpdatesTensor = { "FLOAT32", { 1, 1, 4, 5 } },
      OutputTensor = { "FLOAT32", { 1, 1, 4, 6 } } },
    example "input-rank" { page = "c050c-132", ruling = "A9", InputDimensionCount = 3, IndicesDimensionCount = 2,
      InputTensor = { "FLOAT32", { 1, 1, 4, 6 } },
      IndicesTensor = { "UINT32", { 1, 1, 2, 2 } },
      UpdatesTensor = { "FLOAT32", { 1, 1, 2, 6 } },
      OutputTensor = { "FLOAT32", { 1, 1, 4, 6 } } },
    example "indices-rank" { page = "c050c-135", InputDimensionCount = 4, IndicesDimensionCount = 3,
      InputTensor = { "FLOAT32", { 2, 2, 2, 2 } },
      IndicesTensor = { "UINT32", { 1, 1, 4, 4 } },
      UpdatesTensor = { "FLOAT32", { 1, 1, 1, 4 } },
      OutputTensor = { "FLOAT32", { 2, 2, 2, 2 } } },
  },
}
