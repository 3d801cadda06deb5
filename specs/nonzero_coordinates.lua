local D = dims "InputTensor"
local DC = dims "OutputCoordinatesTensor"
local M, N = size("OutputCoordinatesTensor", -2), size("OutputCoordinatesTensor", -1)

return operator "NONZERO_COORDINATES" {
  introduced = "3d922-136",
  sentences = { page = "3d922", first = 103, last = 162,
    informative = "103, 109..115, 119, 135, 137, 139..144, 160..162" },
  groups = { "data", "count" },
  levels = {
    ["3_0"] = { page = "3d922-118, 3d922-145..159", ruling = "A45" },
  },
  situations = { shape_situations "InputTensor",
    situation "one-non-zero" { text = "one element is not zero: the first, the last, or one in the middle",
      fill = "nonzero-first nonzero-middle nonzero-last", at_least(size("InputTensor", -1), 257) },
    situation "edges" { text = "the elements beside the edges of tiles are not zero", at_least(size("InputTensor", -1), 1100),
      fill = "nonzero-edges-32 nonzero-edges-64 nonzero-edges-256 nonzero-edges-1024" },
    situation "all-or-none" { text = "all elements are zero, or none is", fill = "zero one",
      at_least(size("InputTensor", -1), 257) },
    situation "alternating" { text = "every other element is not zero", fill = "nonzero-alternating",
      at_least(size("InputTensor", -1), 257) },
    situation "narrow-rows" { text = "rows have fewer coordinates than the input has dimensions",
      at_most(N, 2), at_least(D, 4), each(slice(sizes "InputTensor", 0, D - 2), 1, 1), at_least(size("InputTensor", -1), 3) } },
  parameters = { { "d", D }, { "n", N } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = "3d922-138", ruling = "A33" },
    rule "count-scalar" { each(sizes "OutputCountTensor", 1, 1), page = "3d922-117, 3d922-152" },
    rule "coordinates-leading-ones" { each(slice(sizes "OutputCoordinatesTensor", 0, DC - 2), 1, 1),
      page = "3d922-121, 3d922-157", ruling = "A34, A35" },
    rule "rows-enough" { at_least(M, elements "InputTensor"), page = "3d922-107, 3d922-121", ruling = "A32" },
    rule "rows-exact" { at_most(M, elements "InputTensor"), strength = "soft", page = "3d922-121, 3d922-130", ruling = "A32" },
    rule "row-width" { between(N, greatest(effective_rank "InputTensor", 1), D),
      page = "3d922-121, 3d922-122, 3d922-127", ruling = "A30, A31, A36" },
  },
  behaviours = {
    behaviour "coordinates" { text = "row i holds the last N coordinates of the i-th non-zero element",
      page = "3d922-104, 3d922-105, 3d922-120", ruling = "A19, A37" },
    behaviour "count" { text = "the count is the number of non-zero elements", page = "3d922-108, 3d922-116, 3d922-130, 3d922-131" },
    behaviour "order" { text = "rows are in row-major order of the logical coordinates", page = "3d922-128, 3d922-129",
      ruling = "A38, A39" },
    behaviour "signed-zero" { text = "-0.0 is zero", page = "3d922-106", ruling = "A40",
      shown_by = { fill = "sparse special zero" } },
    behaviour "not-a-number" { text = "NaN and infinities are not zero", ruling = "A41", shown_by = { fill = "special" } },
    behaviour "denormals" { text = "denormals are not zero, but a device may flush those of FLOAT32", strength = "soft",
      ruling = "A42", accepts = "kept flushed", reports = "flushed-half", anywhere = true },
    behaviour "undefined-rows" { text = "rows at and past the count are undefined", page = "3d922-130, 3d922-132, 3d922-133",
      ruling = "A43" },
  },
  rows = rows "OutputCoordinatesTensor" { count = "OutputCountTensor" },
  sparse = { "InputTensor" },
  meaning = function(T)
    local input, coordinates = T.InputTensor, T.OutputCoordinatesTensor
    local m, n = coordinates.rank - 2, coordinates.rank - 1
    local row, width = zeros(coordinates.rank), coordinates.sizes[n]
    for c in input:coordinates() do
      if input:number(c) ~= 0 then
        for i = 0, width - 1 do
          row[n] = i
          coordinates:set(row, c[input.rank - width + i])
        end
        row[m] = row[m] + 1
      end
    end
    T.OutputCountTensor:set(zeros(T.OutputCountTensor.rank), row[m])
  end,
  examples = {
    example "matrix" { page = "3d922-134", ruling = "A19",
      InputTensor = { "FLOAT32", { 1, 1, 2, 4 }, { 1.0, 0.0, 0.0, 2.0, -0.0, 3.5, 0.0, -5.2 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1 }, { 4 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 8, 3 }, { 0, 0, 0, 0, 0, 3, 0, 1, 1, 0, 1, 3 } } },
    example "order" { page = "3d922-128, 3d922-129", ruling = "A38", level = "4_0",
      InputTensor = { "UINT8", { 2, 6 }, { 0, 0, 0, 0, 0, 9, 7, 0, 8, 0, 0, 0 } },
      OutputCountTensor = { "UINT32", { 1 }, { 3 } },
      OutputCoordinatesTensor = { "UINT32", { 12, 2 }, { 0, 5, 1, 0, 1, 2 } } },
    example "narrowest" { page = "3d922-125, 3d922-126, 3d922-127",
      InputTensor = { "FLOAT16", { 1, 1, 12, 5 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 60, 2 } } },
    example "widest" { page = "3d922-127", ruling = "A31",
      InputTensor = { "FLOAT16", { 1, 1, 12, 5 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 60, 4 } } },
    example "too-narrow" { page = "3d922-127", rejected = "row-width",
      InputTensor = { "FLOAT16", { 1, 1, 12, 5 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 60, 1 } } },
    example "effective-rank" { page = "3d922-122, 3d922-123", ruling = "A36",
      InputTensor = { "INT32", { 1, 2, 3, 4 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 24, 3 } } },
    example "effective-rank-5d" { page = "3d922-123", ruling = "A36",
      InputTensor = { "INT32", { 1, 1, 5, 5, 5 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1, 1 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 1, 125, 3 } } },
    example "effective-rank-0" { page = "3d922-124", ruling = "A30",
      InputTensor = { "INT32", { 1, 1, 1, 1 } },
      OutputCountTensor = { "UINT32", { 1, 1, 1, 1 } },
      OutputCoordinatesTensor = { "UINT32", { 1, 1, 1, 1 } } },
  },
}
