-- Element-wise operators that copy elements, or convert them to another type, and fills.

local x, a, b, condition = element "InputTensor", element "ATensor", element "BTensor", element "ConditionTensor"
local from_float, to_float = is_float "InputTensor", is_float "OutputTensor"
local function casts(id, from, values, to, results)
  return example(id) { InputTensor = tensor(from, values), OutputTensor = tensor(to, results) }
end

-- A conversion is exact if the type can represent the number.
local in_ulps = y / spacing(y)
local is_exact = eq(in_ulps, round_even(in_ulps))
local conversion = { soft = choose(either(from_float, is_exact), 0, ulp(1)), must = choose(is_exact, 0, ulp(1)) }

-- Values beyond FLOAT32: a device may compute the ScaleBias of FLOAT64 in FLOAT32.
local scaled64 = both(present "ScaleBias", lt(u, 0x1p-24))

-- The delta of an unsigned type is signed: the page's second example has 254 for -2.
local start, delta = attribute "ValueStart", attribute "ValueDelta"
local signed_delta = choose(both(eq(lowest, 0), gt(delta, largest / 2)), delta - largest - 1, delta)
local step = spacing(max(max(abs(start), abs(number * delta)), abs(y)))
local in_sequence = { soft = step, must = (number + 1) * step } -- a device may add one delta after the other

return {
  operator "ELEMENT_WISE_IDENTITY" (elementwise { scaled "InputTensor", zeros = "signed",
    behaviours = {
      behaviour "float64-range" { text = "a ScaleBias beyond the range of FLOAT32 may give any value",
        strength = "open",
        ruling = "E2",
        when = both(scaled64, negated(both(ge(abs(x), 0x1p-126), le(abs(x), 0x1p100)))), gives = "anything" },
    },
    examples = {
      example "sample" { ScaleBias = { 2, 10 }, InputTensor = tensor("FLOAT32", { 1, 2, 3 }),
        OutputTensor = tensor("FLOAT32", { 12, 14, 16 }) },
      example "strided" { InputTensor = { "FLOAT32", { 2, 3 }, { 0, 2, 4, 1, 3, 5 }, strides = { 1, 2 } },
        OutputTensor = { "FLOAT32", { 2, 3 }, { 0, 2, 4, 1, 3, 5 } } },
    } }),

  operator "ELEMENT_WISE_IF" (elementwise { choose(ne(condition, 0), a, b), zeros = "signed", nans = false,
    sparse = { "ConditionTensor" },
    special = "the element that is not selected has no effect, even if it is a NaN or an infinity",
    examples = {
      example "page" { page = "DML_ELEMENT_WISE_IF", ConditionTensor = { "UINT8", { 2, 2 }, { 1, 0, 1, 1 } },
        ATensor = { "FLOAT32", { 2, 2 }, { 1, 2, 3, 4 } }, BTensor = { "FLOAT32", { 2, 2 }, { 9, 8, 7, 6 } },
        OutputTensor = { "FLOAT32", { 2, 2 }, { 1, 8, 3, 4 } } },
    } }),

  operator "CAST" (elementwise { x, zeros = "signed", FLOAT16 = conversion, FLOAT32 = conversion,
    domains = { InputTensor = { -100, 127 } },
    FLOAT64 = choose(both(negated(from_float), ge(abs(y), 0x1p53)), ulp(1), 0),
    text = "each element is the InputTensor element in the type of OutputTensor, truncated toward zero for integers",
    behaviours = {
      behaviour "out-of-range" { text = "a value beyond the integer type may become any value", strength = "open",
        ruling = "E23",
        when = both(negated(to_float), negated(fits(trunc(x)))), gives = "anything" },
      behaviour "large-integer" { text = "an integer beyond FLOAT16 becomes an infinity or the largest number",
        strength = "open", ruling = "E23",
        when = both(both(to_float, negated(from_float)), negated(fits(x))), gives = { { "largest", saturate(x) } } },
    },
    examples = {
      casts("truncated", "FLOAT32", { -1.7, 1.7, 2.5, -0.9 }, "INT32", { -1, 1, 2, 0 }),
      casts("rounded", "FLOAT32", { 2049, 2051, 1.00048828125 }, "FLOAT16", { 2048, 2052, 1 }),
      casts("to-float", "INT32", { 16777217 }, "FLOAT32", { 16777216 }),
        casts("widened", "UINT16", { 65535 }, "INT32", { 65535 }),
    } }),

  operator "FILL_VALUE_CONSTANT" (elementwise { attribute "Value", zeros = "signed", nans = false,
    rules = { rule "value-type" { equal(attr "ValueDataType", data_type "OutputTensor"),
      page = "DML_FILL_VALUE_CONSTANT" } },
    examples = {
      example "page" { page = "DML_FILL_VALUE_CONSTANT", ValueDataType = "FLOAT32", Value = "FLOAT32(13)",
        OutputTensor = { "FLOAT32", { 1, 1, 2, 4 }, { 13, 13, 13, 13, 13, 13, 13, 13 } } },
    } }),

  operator "FILL_VALUE_SEQUENCE" (elementwise { start + number * signed_delta, overflows = true, nans = false,
    FLOAT32 = in_sequence, FLOAT16 = in_sequence,
    text = "each element is ValueStart + ValueDelta * its row-major index, whatever the strides",
    rules = { rule "value-type" { equal(attr "ValueDataType", data_type "OutputTensor"), page = "DML_FILL_VALUE_SEQUENCE" } },
    behaviours = {
      behaviour "large-number" { text = "numbers beyond 24 bits may be inexact", strength = "open", ruling = "E29",
        when = both(is_float "OutputTensor", ge(number, 1 << 24)), gives = "anything" },
      behaviour "not-finite" { text = "a start or delta that is not finite may give any value",
        strength = "open", ruling = "E29",
        when = either(is_nan(start + delta), is_inf(start + delta)), gives = "anything" },
    },
    examples = {
      example "page" { page = "DML_FILL_VALUE_SEQUENCE", ValueDataType = "FLOAT32", ValueStart = "FLOAT32(3)",
        ValueDelta = "FLOAT32(2)", OutputTensor = { "FLOAT32", { 1, 1, 1, 3 }, { 3, 5, 7 } } },
      example "page-wraps" { page = "DML_FILL_VALUE_SEQUENCE", ValueDataType = "UINT8", ValueStart = "UINT8(10)",
        ValueDelta = "UINT8(254)", OutputTensor = { "UINT8", { 1, 1, 2, 2 }, { 10, 8, 6, 4 } } },
      example "sample" { ruling = "E12", ValueDataType = "FLOAT32", ValueStart = "FLOAT32(3.2)", ValueDelta = "FLOAT32(1.5)",
        OutputTensor = { "FLOAT32", { 1, 1, 1, 5 }, { 3.2, 4.7, 6.2, 7.7, 9.2 } } },
    } }),
}
