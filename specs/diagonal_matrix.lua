-- Matrices with a value on diagonals: leading dimensions are batches, the last two are rows and columns.

-- The distance of the element to the right of the main diagonal.
local apart = coordinate(-1) - coordinate(-2)
local on_diagonal = eq(apart, attribute "Offset")
local begin, past = attribute "DiagonalFillBegin", attribute "DiagonalFillEnd"
local filled_in = choose(le(begin, past), both(ge(apart, begin), lt(apart, past)),
  either(lt(apart, past), ge(apart, begin)))

-- A FLOAT is converted to the type of the output.
local value = choose(is_float "OutputTensor", cast "Value", truncated "Value")

local function diagonal(body)
  body.zeros, body.nans = "signed", false
  local parts = elementwise(body)
  parts.parameters = { { "d", dims "OutputTensor" } }
  return parts
end

local function fills(id, given)
  given.page, given.level = given.page or "DML_DIAGONAL_MATRIX", "4_0"
  return example(id) (given)
end
local function matrix(sizes, values) return { "FLOAT32", sizes, values } end
local input = { "FLOAT32", { 4, 5 }, { 4, 7, 3, 7, 9, 1, 2, 8, 6, 9, 9, 4, 1, 8, 7, 4, 3, 4, 2, 4 } }
local function bands(id, from, to, given)
  given.ValueDataType, given.DiagonalFillBegin, given.DiagonalFillEnd = "FLOAT32", from, to
  return example(id) (given)
end

return {
  operator "DIAGONAL_MATRIX" (diagonal { choose(on_diagonal, value, 0), overflow = "open",
    FLOAT16 = { soft = 0, must = choose(on_diagonal, ulp(1), 0) },
    text = "an element is Value if its column is its row plus Offset, otherwise 0",
    special = "Offset is compared in 64 bits: INT32_MAX and INT32_MIN give zeros",
    behaviours = {
      behaviour "value-type" {
        text = "Value is converted to the type of the output; for an integer type it is truncated", ruling = "R1" },
    },
    examples = {
      fills("main", { Offset = 0, Value = 1, OutputTensor = matrix({ 1, 1, 3, 3 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 }) }),
      fills("above", { Offset = 1, Value = 1, OutputTensor = matrix({ 1, 1, 3, 3 }, { 0, 1, 0, 0, 0, 1, 0, 0, 0 }) }),
      fills("below", { Offset = -1, Value = 1, OutputTensor = matrix({ 1, 1, 3, 2 }, { 0, 0, 1, 0, 0, 1 }) }),
      fills("outside", { Offset = -3, Value = 1, OutputTensor = matrix({ 1, 1, 3, 2 }, { 0, 0, 0, 0, 0, 0 }) }),
      example "truncated" { ruling = "R1, R9", Offset = 0, Value = 10.6,
        OutputTensor = { "INT32", { 1, 1, 2, 2 }, { 10, 0, 0, 10 } } },
      example "farthest" { ruling = "R2, R9", Offset = 2147483647, Value = 1,
        OutputTensor = matrix({ 1, 1, 2, 2 }, { 0, 0, 0, 0 }) },
    } }),

  operator "DIAGONAL_MATRIX1" (diagonal { choose(filled_in, attribute "Value", element "InputTensor"),
    text = "an element is Value in the band from DiagonalFillBegin to before DiagonalFillEnd (if Begin is above " ..
      "End, outside " ..
      "of the band); otherwise it is the InputTensor element, or 0",
    special = "the ends of the band are compared in 64 bits",
    rules = {
      rule "value-type" { equal(attr "ValueDataType", data_type "OutputTensor"), page = "DML_DIAGONAL_MATRIX1" },
    },
    behaviours = {
      behaviour "inverted" {
        text = "if DiagonalFillBegin is above DiagonalFillEnd, elements outside of the band are Value",
        page = "DML_DIAGONAL_MATRIX1" },
    },
    examples = {
      bands("band", 0, 3, { page = "DML_DIAGONAL_MATRIX1", ruling = "R10", Value = "FLOAT32(7)",
        OutputTensor = matrix({ 4, 5 }, { 7, 7, 7, 0, 0, 0, 7, 7, 7, 0, 0, 0, 7, 7, 7, 0, 0, 0, 7, 7 }) }),
      bands("triangle", -2147483648, 1, { page = "DML_DIAGONAL_MATRIX1", Value = "FLOAT32(0)", InputTensor = input,
        OutputTensor = matrix({ 4, 5 }, { 0, 7, 3, 7, 9, 0, 0, 8, 6, 9, 0, 0, 0, 8, 7, 0, 0, 0, 0, 4 }) }),
      bands("outside", 1, 0, { page = "DML_DIAGONAL_MATRIX1", Value = "FLOAT32(0)", InputTensor = input,
        OutputTensor = matrix({ 4, 5 }, { 4, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 0 }) }),
      bands("outside-wide", 3, 1, { ruling = "R9", Value = "FLOAT32(1)",
        OutputTensor = matrix({ 3, 6 }, { 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1 }) }),
    } }),
}
