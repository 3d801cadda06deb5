local page <const> = "DML_MAX_UNPOOLING"

local function unpools(id, from, indices, to)
  return example(id) { ruling = "R5, R9", InputTensor = { "FLOAT32", from, { 1, 2, 3, 4 } },
    IndicesTensor = { "UINT32", from, indices }, OutputTensor = to }
end

return operator "MAX_UNPOOLING" {
  groups = { "data", "index" },
  situations = { shape_situations("InputTensor", { also = equal(sizes "OutputTensor", sizes "InputTensor") }),
    index_situations("IndicesTensor", false, true) },
  parameters = { { "d", dims "InputTensor" } },
  rules = {
    rule "same-type" { same "DataType", same "DimensionCount", page = page }, -- the only DimensionCount is 4
    rule "indices-sizes" { equal(sizes "IndicesTensor", sizes "InputTensor"), page = page },
    rule "output-batch" { equal(prefix(sizes "OutputTensor", 2), prefix(sizes "InputTensor", 2)),
      text = "OutputTensor must have the batches and channels of InputTensor", strength = "open", ruling = "R5" },
  },
  behaviours = {
    behaviour "unpools" {
      text = "each element is copied to the output element with the row-major index that IndicesTensor gives; " ..
      "all other elements are 0", page = page, ruling = "R5" },
    behaviour "duplicates" { ruling = "A24", strength = "soft", accepts = "last first each",
      text = "if two indices name one element, either may win" },
    behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
    behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "quieted canonical" },
    behaviour "denormals" { text = "denormals are copied, not flushed to zero", strength = "soft", ruling = "A26",
      accepts = "kept", reports = "flushed" },
    behaviour "out-of-range" { ruling = "A23, R3", strength = "soft", anywhere = true,
      accepts = "ignored clamped wrapped truncated signed error", reports = "other",
      text = "an index out of range changes no memory outside the output" },
  },
  indices = { index "IndicesTensor" { into = concat(elements "OutputTensor"), distinct = true } },
  meaning = function(T)
    local output, at = T.OutputTensor, zeros(T.OutputTensor.rank)
    local count = 1
    for d = 0, output.rank - 1 do count = count * output.sizes[d] end
    for c in output:coordinates() do output:set(c, 0) end
    for c in T.InputTensor:coordinates() do
      local number = T.IndicesTensor:integer(c)
      if number < count then -- beyond: dropped (A23)
        for d = output.rank - 1, 0, -1 do
          at[d], number = number % output.sizes[d], number // output.sizes[d]
        end
        output:set(at, T.InputTensor:get(c))
      end
    end
  end,
  examples = {
    unpools("plane", { 1, 1, 2, 2 }, { 5, 7, 13, 15 },
      { "FLOAT32", { 1, 1, 4, 4 }, { 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4 } }),
    unpools("channels", { 1, 2, 1, 2 }, { 5, 2, 8, 15 },
      { "FLOAT32", { 1, 2, 2, 4 }, { 0, 0, 2, 0, 0, 1, 0, 0, 3, 0, 0, 0, 0, 0, 0, 4 } }),
  },
}
