-- Element-wise operators that change the sign of a number, or round it.

local x, g = element "InputTensor", scaled "InputTensor"
local mode = attribute "RoundingMode"
local is_lowest = both(negated(is_float "InputTensor"), eq(x, lowest))
local magnitude = behaviour "lowest" { text = "the magnitude of the lowest integer wraps to itself, or saturates",
  strength = "open",
  ruling = "E4", when = is_lowest, gives = { { "wrapped", lowest }, { "saturated", largest } } }
local halves = { -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -2.4, 2.6 }
local function rounds(id, number, results)
  return example(id) { RoundingMode = number, InputTensor = tensor("FLOAT32", halves),
    OutputTensor = tensor("FLOAT32", results) }
end
local function exact(id, number)
  return example(id) { RoundingMode = number, InputTensor = tensor("FLOAT32", { 0.49999997, 8388609 }),
    OutputTensor = tensor("FLOAT32", { 0, 8388609 }) }
end

return {
  operator "ELEMENT_WISE_ABS" (elementwise { abs(g), zeros = "signed", behaviours = { magnitude },
    examples = {
      example "int8" { InputTensor = tensor("INT8", { -127, 5 }), OutputTensor = tensor("INT8", { 127, 5 }) },
    } }),

  operator "ELEMENT_WISE_NEGATE" (elementwise { -x, zeros = "signed", behaviours = { magnitude },
    examples = {
      example "int32" { InputTensor = tensor("INT32", { 1, -2, 0 }), OutputTensor = tensor("INT32", { -1, 2, 0 }) },
    } }),

  operator "ELEMENT_WISE_SIGN" (elementwise { choose(lt(x, 0), -1, choose(gt(x, 0), 1, 0)), zeros = "signed",
    nans = false,
    behaviours = {
      behaviour "nan-is-zero" { text = "a NaN gives 0, as in the page's last branch", strength = "soft", ruling = "E15",
        when = is_nan(x), gives = { { "nan", nan } } },
    },
    examples = {
      example "signs" { InputTensor = tensor("FLOAT32", { -2.5, -0.0, 0, 3 }),
        OutputTensor = tensor("FLOAT32", { -1, 0, 0, 1 }) },
    } }),

  operator "ELEMENT_WISE_CEIL" (elementwise { ceil(g), zeros = "signed",
    special = "an integer, an infinity and a NaN give themselves; a zero result has the sign of the element",
    examples = {
      example "floats" { InputTensor = tensor("FLOAT32", { -0.5, 1.2, inf }),
        OutputTensor = tensor("FLOAT32", { -0.0, 2, inf }) },
    } }),

  operator "ELEMENT_WISE_FLOOR" (elementwise { floor(g), zeros = "signed",
    special = "an integer, an infinity and a NaN give themselves; a zero result has the sign of the element",
    examples = {
      example "halves" { InputTensor = tensor("FLOAT16", { -0.5, 1.5, 2048 }),
        OutputTensor = tensor("FLOAT16", { -1, 1, 2048 }) },
    } }),

  operator "ELEMENT_WISE_ROUND" (elementwise {
    choose(eq(mode, 0), round_even(x), choose(eq(mode, 1), trunc(x), round_away(x))), zeros = "signed",
    special = "an integer, an infinity and a NaN give themselves; a zero result has the sign of the element",
    text = "each element is rounded to the nearest integer, halves to even or away from 0, or truncated",
    rules = { rule "rounding-mode" { one_of(attr "RoundingMode", { 0, 1, 2 }), ruling = "E13" } },
    examples = {
      rounds("to-even", 0, { -2, -2, -0.0, 0, 2, 2, -2, 3 }), rounds("toward-zero", 1,
        { -2, -1, -0.0, 0, 1, 2, -2, 2 }),
      rounds("away-from-zero", 2, { -3, -2, -1, 1, 2, 3, -2, 3 }),
      exact("exact-to-even", 0), exact("exact-toward-zero", 1), exact("exact-away-from-zero", 2),
    } }),
}
