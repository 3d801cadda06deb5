-- Matrix sizes with transposition: of A the size at -2 is M if TransA is 0, else K.
local rows, inner_a = size("ATensor", -2), size("ATensor", -1)
local inner_b, columns = size("BTensor", -2), size("BTensor", -1)
local straight_a, straight_b = equal(attr "TransA", 0), equal(attr "TransB", 0)
local other_a, other_b = equal(attr "TransA", 1), equal(attr "TransB", 1)
local function batch(T) return prefix(sizes(T), dims(T) - 2) end

return operator "GEMM" {
  parameters = { { "d", dims "ATensor" } },
  rules = {
    rule "same-dims" { same "DimensionCount" },
    rule "same-type" { same "DataType" },
    rule "transforms" { one_of(attr "TransA", { 0, 1 }), one_of(attr "TransB", { 0, 1 }) },
    rule "inner" {
      when(all_of(straight_a, straight_b), equal(inner_b, inner_a)),
      when(all_of(straight_a, other_b), equal(columns, inner_a)),
      when(all_of(other_a, straight_b), equal(inner_b, rows)), when(all_of(other_a, other_b), equal(columns, rows)) },
    rule "rows" { when(straight_a, equal(size("OutputTensor", -2), rows)),
      when(other_a, equal(size("OutputTensor", -2), inner_a)) },
    rule "columns" {
      when(straight_b, equal(size("OutputTensor", -1), columns)),
      when(other_b, equal(size("OutputTensor", -1), inner_b)) },
    rule "batch" { equal(batch "BTensor", batch "ATensor"), equal(batch "OutputTensor", batch "ATensor") },
    rule "c-sizes" { when(present "CTensor", equal(sizes "CTensor", sizes "OutputTensor")) },
  },
  results = { result "OutputTensor" { -- as if nothing were transposed
    over { sizes = suffix(sizes "ATensor", 1), fold = "sum", at = {
      ATensor = concat(prefix(place "OutputTensor", dims "ATensor" - 1), step(suffix(sizes "ATensor", 1))),
      BTensor = replace(place "OutputTensor", dims "ATensor" - 2, entry(step(suffix(sizes "ATensor", 1)), 0)) },
      element "ATensor" * element "BTensor" } } },
}
