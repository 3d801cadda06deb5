-- Quantisation and dequantisation: an integer is round(number / scale) + zero point, clamped to its type.

local row = tensor
local near_one, numbers = { 0.03125, 8 }, { -300, 300 }
local float32, float16, int32 = 1, 2, 6

-- A quotient with a tolerance of `ulps` of the scale's type: near a tie both integers are right, otherwise one is.
local function quantised(quotient, error, zero_point)
  return saturate(round_even(within(quotient, error)) + zero_point)
end

-- The result of a quantisation of one number. If the number is a tie exactly, no rounding moves it, so the even integer
-- is right and the other one gets a warning.
local function quantised_number(number, scale, scale_name, zero_point)
  local quotient = number / scale
  local exact_tie = both(eq(quotient, floor(quotient) + 0.5), eq(quotient * scale, number))
  return result "OutputTensor" { integers = { soft = 0, must = 1 },
    quantised(quotient, choose(exact_tie, 0, 4 * spacing_of(scale_name, quotient)), zero_point) }
end

local function agreement(page)
  return { rule "same-dims" { same "DimensionCount", page = page }, rule "same-sizes" { same "Sizes", page = page, ruling = "E1" } }
end

local function same_types(page) return rule "same-type" { same "DataType", page = page } end

local function one_element(page, ...)
  local rules = { page = page, text = "scales and zero points must have one element" }
  for i, name in ipairs { ... } do rules[i] = when(present(name), each(sizes(name), 1, 1)) end
  return rule "one-element" (rules)
end

-- Returns the behaviours of a quantisation: `number` is divided by `scale`, which may be a product of scales.
local function quantisation(page, scale, number, ruling)
  return {
    behaviour "elements" { page = page, ruling = "E26",
      text = "each element is number / scale, rounded with halves to even, plus the zero point, clamped" },
    behaviour "zero-scale" { text = "a scale of 0 may give any value", strength = "open", page = page, ruling = ruling,
      when = eq(scale, 0), gives = "anything" },
    behaviour "not-finite" { text = "a NaN, or a scale that is not finite, may give any value", strength = "open",
      ruling = "E26", when = either(is_nan(number / scale), either(is_inf(scale), is_nan(scale))), gives = "anything" },
  }
end

-- (number - zero point) * scale. A device may compute the difference of 32-bit integers in FLOAT32.
local function dequantised(number, zero_point, scale)
  local largest = max(abs(number), abs(zero_point))
  local wide = 2 * max(spacing(y), largest * abs(scale) * 2 * u)
  local narrow = le(largest, 0xffff)
  local bound = { soft = choose(narrow, ulp(1), wide), must = choose(narrow, ulp(2), wide) }
  return { (number - zero_point) * scale, FLOAT32 = bound, FLOAT16 = bound }
end

local function dequantisation(page, number, zero_point, scale, ruling)
  local difference = number - zero_point
  local unsigned = gt(max(number, zero_point), 0x7fffffff)
  return {
    behaviour "wide-difference" { strength = "open", ruling = "E26",
      text = "a difference beyond the 32 bits of its type may be any number",
      when = either(gt(abs(difference), 0x7fffffff), both(unsigned, lt(difference, 0))), gives = "anything" },
    behaviour "elements" { text = "each element is (number - zero point) * scale, with the difference in integers",
      page = page, ruling = "E10, E26" },
    behaviour "zero-scale" { text = "a scale of 0 may give any value", strength = "open", page = page, ruling = ruling,
      when = eq(scale, 0), gives = "anything" },
    behaviour "infinities" { text = "a result beyond the largest number becomes an infinity, not the largest number",
      strength = "soft", ruling = "E9" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  }
end

local wpt = { -2.549168, -4.7948575, 8.413617, 6.1086235 }

local function quantize_linear()
  local page = "DML_ELEMENT_WISE_QUANTIZE_LINEAR"
  local x, scale = element "InputTensor", element "ScaleTensor"
  local function example_of(id, third, result)
    return example(id) { ruling = "E12", InputTensor = row("FLOAT32", wpt),
      ScaleTensor = row("FLOAT32", { 9.343093, 0.28006873, third, 1.1202748 }),
      ZeroPointTensor = row("UINT8", { 128, 128, 128, 128 }), OutputTensor = row("UINT8", result) }
  end
  return operator "ELEMENT_WISE_QUANTIZE_LINEAR" {
    parameters = { { "d", dims "InputTensor" } },
    situations = { shape_situations "InputTensor", number_situations "InputTensor" },
    domains = { InputTensor = numbers, ScaleTensor = near_one },
    rules = {
      agreement(page), same_types(page),
      rule "scale-type" { page = page,
        text = "ScaleTensor must have the DataType of InputTensor, or FLOAT32 if that is INT32",
        when(equal(data_type "InputTensor", int32), equal(data_type "ScaleTensor", float32)),
        any_of(equal(data_type "InputTensor", int32), equal(data_type "ScaleTensor", data_type "InputTensor")) },
    },
    results = { quantised_number(x, scale, "ScaleTensor", element "ZeroPointTensor") },
    behaviours = quantisation(page, scale, x),
    examples = {
      example_of("wpt", 4.617085, { 128, 111, 130, 133 }), example_of("wpt-negative", -4.617085, { 128, 111, 126, 133 }),
      example "ties" { ruling = "E12", InputTensor = row("FLOAT32", { 0.5, 1.5, 2.5, -0.5, 1000, -1000 }),
        ScaleTensor = row("FLOAT32", { 1, 1, 1, 1, 1, 1 }), OutputTensor = row("INT8", { 0, 2, 2, 0, 127, -128 }) },
    },
  }
end

local function dequantize_linear()
  local page = "DML_ELEMENT_WISE_DEQUANTIZE_LINEAR"
  return operator "ELEMENT_WISE_DEQUANTIZE_LINEAR" {
    parameters = { { "d", dims "InputTensor" } },
    situations = { shape_situations "InputTensor", number_situations "InputTensor" },
    domains = { ScaleTensor = near_one },
    rules = { agreement(page), same_types(page) },
    results = { result "OutputTensor" (dequantised(element "InputTensor", element "ZeroPointTensor", element "ScaleTensor")) },
    behaviours = dequantisation(page, element "InputTensor", element "ZeroPointTensor", element "ScaleTensor"),
    examples = {
      example "uint8" { ruling = "E12", InputTensor = row("UINT8", { 0, 3, 128, 255 }),
        ScaleTensor = row("FLOAT32", { 2, 2, 2, 2 }), ZeroPointTensor = row("UINT8", { 128, 128, 128, 128 }),
        OutputTensor = row("FLOAT32", { -256, -250, 0, 254 }) },
      example "no-zero-point" { ruling = "E12", InputTensor = row("UINT8", { 0, 3, 128, 255 }),
        ScaleTensor = row("FLOAT32", { 2, 2, 2, 2 }), OutputTensor = row("FLOAT32", { 0, 6, 256, 510 }) },
    },
  }
end

local function quantized_linear_add()
  local page = "DML_ELEMENT_WISE_QUANTIZED_LINEAR_ADD"
  local function real(name)
    return (element(name .. "Tensor") - element(name .. "ZeroPointTensor")) * element(name .. "ScaleTensor")
  end
  local sum, scale = real "A" + real "B", element "OutputScaleTensor"
  local largest = max(abs(sum), max(abs(real "A"), abs(real "B"))) / abs(scale) -- a sum may cancel
  return operator "ELEMENT_WISE_QUANTIZED_LINEAR_ADD" {
    parameters = { { "d", dims "ATensor" } },
    situations = { shape_situations "ATensor", number_situations "ATensor" },
    domains = { AScaleTensor = near_one, BScaleTensor = near_one, OutputScaleTensor = near_one },
    rules = {
      agreement(page), same_types(page),
      one_element(page, "AScaleTensor", "AZeroPointTensor", "BScaleTensor", "BZeroPointTensor", "OutputScaleTensor",
        "OutputZeroPointTensor"),
    },
    results = { result "OutputTensor" { integers = { soft = 0, must = 1 },
      quantised(sum / scale, 8 * spacing_of("OutputScaleTensor", largest), element "OutputZeroPointTensor") } },
    behaviours = quantisation(page, element "AScaleTensor" * element "BScaleTensor" * scale, sum),
    examples = {
      example "mixed" { ruling = "E12", ATensor = row("UINT8", { 128, 130, 132, 255 }), AScaleTensor = row("FLOAT32", { 0.5 }),
        AZeroPointTensor = row("UINT8", { 128 }), BTensor = row("INT8", { 0, 10, -20, 127 }),
        BScaleTensor = row("FLOAT32", { 0.25 }), OutputScaleTensor = row("FLOAT32", { 0.5 }),
        OutputZeroPointTensor = row("UINT8", { 3 }), OutputTensor = row("UINT8", { 3, 10, 0, 193 }) },
    },
  }
end

-- The range contains zero, as in ONNX: the page's own formulas fail for inputs of one sign.
local function dynamic_quantize_linear()
  local page = "DML_DYNAMIC_QUANTIZE_LINEAR"
  local x, own, zero_point = element "InputTensor", output "OutputScaleTensor", output "OutputZeroPointTensor"
  local least, most = min(0, least_of "InputTensor"), max(0, greatest_of "InputTensor")
  local scale = (most - least) / 255
  local one_sign = either(gt(least_of "InputTensor", 0), lt(greatest_of "InputTensor", 0))
  local own_range = greatest_of "InputTensor" - least_of "InputTensor" -- without 0, as the page has it
  local own_zero = round_even(within(lowest - least_of "InputTensor" / (own_range / 255), 0x1p-10))
  -- Elements that are all equal have no range of their own, and an infinity becomes any of these integers.
  local function if_infinite(integer, otherwise) return choose(is_inf(own_zero), integer, otherwise) end
  local constant = eq(scale, 0)
  local huge = negated(le(greatest_of "InputTensor" - least_of "InputTensor", 0x1p127)) -- or a NaN
  local function no_range(id, of)
    return behaviour(id) { text = "an input of zeros, or with an element that is not finite, may give any value",
      strength = "open",
      ruling = "E27", of = of, when = either(constant, huge), gives = "anything" }
  end
  local function small(id, of) -- the page's formulas divide by a scale that may be denormal and flushed to 0
    return behaviour(id) { text = "an input of tiny numbers may give any value",
      strength = "open", ruling = "E7, E27", of = of,
      when = lt(scale, 0x1p-100), gives = "anything" }
  end
  local function example_of(id, type, input, values, chosen)
    return example(id) { ruling = "E12", InputTensor = row("FLOAT32", input), OutputTensor = row(type, values),
      OutputScaleTensor = row("FLOAT32", { chosen[1] }), OutputZeroPointTensor = row(type, { chosen[2] }) }
  end
  local mixed = { 0, 2, -3, -2.5, 1.34, 0.5 }
  return operator "DYNAMIC_QUANTIZE_LINEAR" {
    parameters = { { "d", dims "InputTensor" } },
    situations = { shape_situations "InputTensor", number_situations "InputTensor" },
    domains = { InputTensor = numbers },
    rules = { agreement(page), same_types(page), one_element(page, "OutputScaleTensor", "OutputZeroPointTensor") },
    results = {
      result "OutputTensor" { quantised(x / own, 4 * spacing_of("OutputScaleTensor", x / own), zero_point) },
      result "OutputScaleTensor" { scale, FLOAT32 = ulp(2) },
      result "OutputZeroPointTensor" { quantised(lowest - least / scale, 0x1p-10, 0) },
    },
    behaviours = {
      behaviour "elements" { page = page, ruling = "E26, E27",
        text = "each element is number / scale, rounded with halves to even, plus the zero point, clamped; scale " ..
          "and zero point are " ..
          "the device's own outputs" },
      behaviour "scale" { text = "the scale is the range of the input and 0, divided by the range of the type",
        page = page, ruling = "E10, E27" },
      behaviour "zero-point" { text = "the zero point is the integer for 0, rounded and clamped",
        page = page, ruling = "E27" },
      no_range("no-range", "OutputTensor"), no_range("no-range-scale", "OutputScaleTensor"),
      no_range("no-range-zero-point", "OutputZeroPointTensor"), small("tiny", "OutputTensor"),
      small("tiny-scale", "OutputScaleTensor"), small("tiny-zero-point", "OutputZeroPointTensor"),
      behaviour "one-sign-scale" { text = "the range of an input of one sign extends to 0", strength = "soft",
        ruling = "E27", of = "OutputScaleTensor", when = one_sign, gives = { { "own", own_range / 255 } } },
      behaviour "one-sign-zero-point" { text = "the zero point of an input of one sign is an end of the type's range",
        strength = "soft",
        ruling = "E27", of = "OutputZeroPointTensor", when = one_sign,
        gives = { { "own", saturate(own_zero) },
          { "wrapped", if_infinite(0, own_zero - 256 * floor((own_zero - lowest) / 256)) },
          { "lowest", if_infinite(lowest, saturate(own_zero)) },
          { "ones", if_infinite(choose(lt(lowest, 0), -1, largest), saturate(own_zero)) } } },
    },
    examples = {
      example_of("onnx", "UINT8", mixed, { 153, 255, 0, 26, 221, 179 }, { 0.019607844, 153 }),
      example_of("int8", "INT8", mixed, { 25, 127, -128, -102, 93, 51 }, { 0.019607844, 25 }),
      example_of("negative", "UINT8", { -1, -2.1, -1.3, -2.5, -3.34, -4 }, { 191, 121, 172, 96, 42, 0 }, { 0.015686275, 255 }),
      example_of("positive", "UINT8", { 1, 2.1, 1.3, 2.5, 3.34, 4, 1.5, 2.6, 3.9, 4, 3, 2.345 },
        { 64, 134, 83, 159, 213, 255, 96, 166, 249, 255, 191, 149 }, { 0.015686275, 0 }),
    },
  }
end

-- Makes an operator with scales and zero points for blocks. `real` is the tensor that is not quantised; the scale has
-- its type.
local function block_rules(page, real, quantised_tensor)
  local scale, zero_point = "QuantizationTensors[0]", "QuantizationTensors[1]"
  local kind, count = attr "QuantizationType", attr "QuantizationTensorCount"
  local has_scale, has_both = at_least(count, 1), at_least(count, 2)
  return {
    agreement(page),
    rule "type-known" { at_most(kind, 2), ruling = "E28" },
    rule "type-not-none" { at_least(kind, 1), strength = "soft", ruling = "E28",
      text = "QuantizationType must not be NONE" },
    rule "count" { when(one_of(kind, { 1, 2 }), equal(count, kind)), ruling = "E28" },
    rule "tensors-given" { when(has_scale, present "QuantizationTensors"), strength = "soft", ruling = "B10" },
    rule "scale-float" { when(has_scale, one_of(data_type(scale), { float32, float16 })), page = page },
    rule "scale-type" { when(all_of(has_scale, one_of(data_type(scale), { float32, float16 })),
        equal(data_type(scale), data_type(real))), ruling = "E28", strength = real == "InputTensor" and "soft" or nil },
    rule "zero-point-type" { when(has_both, equal(data_type(zero_point), data_type(quantised_tensor))), ruling = "E28" },
    rule "blocks" { when(has_scale, divides(sizes(scale), sizes "InputTensor")), strength = "soft", ruling = "E28" },
    rule "zero-point-sizes" { when(has_both, equal(sizes(zero_point), sizes(scale))), strength = "soft", ruling = "E28" },
  }
end

-- Zero points of each type over their whole range: the range in `domains` holds for scales and zero points alike.
-- `quantised_tensor`: the tensor that has the type of the zero points.
local function zero_point_situations(quantised_tensor)
  local found, scale = {}, "QuantizationTensors[0]"
  local function of(id, text, type, ...)
    found[#found + 1] = situation("zero-points-" .. id .. "-" .. type[1]:lower()) { fill = "any-integers",
      text = ("%s have zero points of their own, any numbers of type %s"):format(text, type[1]),
      equal(attr "QuantizationTensorCount", 2), equal(data_type(quantised_tensor), type[2]), ... }
  end
  for _, type in ipairs { { "UINT8", 5 }, { "INT8", 8 }, { "UINT4", 12 }, { "INT4", 13 } } do
    of("of-pairs", "pairs of elements", type, at_least(size(scale, -1), 9),
      equal(size("InputTensor", -1), 2 * size(scale, -1)))
    of("of-rows", "rows", type, at_least(dims "InputTensor", 2), at_least(size(scale, -2), 9),
      equal(size(scale, -1), 1), at_least(size("InputTensor", -1), 3))
  end
  return found
end

local function blocks(sizes_of, type, values) return { type, sizes_of, values } end

local function quantize()
  local page = "DML_QUANTIZE"
  local x, scale = element "InputTensor", element "QuantizationTensors[0]"
  local twice = {
    4.7948575, 3.2343435, 2.7948575, 5.7948575, 0, 7.2343435, 4.7948575, 3.2343435, 2.7948575, 5.7948575, 0, 7.2343435,
  }
  return operator "QUANTIZE" {
    parameters = { { "d", dims "InputTensor" } },
    situations = { shape_situations "InputTensor", number_situations "InputTensor",
      zero_point_situations "OutputTensor" },
    domains = { InputTensor = numbers, QuantizationTensors = near_one },
    rules = block_rules(page, "InputTensor", "OutputTensor"),
    results = { quantised_number(x, scale, "QuantizationTensors[0]", element "QuantizationTensors[1]") },
    behaviours = quantisation(page, scale, x, "E28"),
    examples = {
      example "wpt" { ruling = "E12", QuantizationType = "SCALE_ZERO_POINT", QuantizationTensorCount = 2,
        InputTensor = blocks({ 1, 4, 1 }, "FLOAT32", wpt),
        QuantizationTensors = { blocks({ 1, 2, 1 }, "FLOAT32", { 0.28006873, -4.617085 }), blocks({ 1, 2, 1 }, "UINT8", { 128, 189 }) },
        OutputTensor = blocks({ 1, 4, 1 }, "UINT8", { 119, 111, 187, 188 }) },
      example "int4" { ruling = "E12", QuantizationType = "SCALE_ZERO_POINT", QuantizationTensorCount = 2,
        InputTensor = blocks({ 3, 4 }, "FLOAT32", twice),
        QuantizationTensors = { blocks({ 1, 2 }, "FLOAT32", { 1.1202748, 2.1202748 }), blocks({ 1, 2 }, "INT4", { -6, -5 }) },
        OutputTensor = blocks({ 3, 4 }, "INT4", { -2, -3, -4, -2, -6, 0, -3, -3, -4, -1, -5, -2 }) },
      example "odd" { ruling = "E12", QuantizationType = "SCALE", QuantizationTensorCount = 1,
        InputTensor = blocks({ 5 }, "FLOAT32", { -100, 100, 1, 2, 3 }),
        QuantizationTensors = { blocks({ 1 }, "FLOAT32", { 1 }) },
        OutputTensor = blocks({ 5 }, "UINT4", { 0, 15, 1, 2, 3 }) },
    },
  }
end

local function dequantize()
  local page = "DML_DEQUANTIZE"
  local scale = element "QuantizationTensors[0]"
  return operator "DEQUANTIZE" {
    parameters = { { "d", dims "InputTensor" } },
    situations = { shape_situations "InputTensor", number_situations "InputTensor",
      zero_point_situations "InputTensor" },
    domains = { QuantizationTensors = near_one },
    rules = block_rules(page, "OutputTensor", "InputTensor"),
    results = { result "OutputTensor" (dequantised(element "InputTensor", element "QuantizationTensors[1]", scale)) },
    behaviours = dequantisation(page, element "InputTensor", element "QuantizationTensors[1]", scale, "E28"),
    examples = {
      example "uint4" { ruling = "E12", QuantizationType = "SCALE_ZERO_POINT", QuantizationTensorCount = 2,
        InputTensor = blocks({ 1, 4 }, "UINT4", { 0, 8, 15, 3 }),
        QuantizationTensors = { blocks({ 1, 2 }, "FLOAT32", { 0.5, 2 }), blocks({ 1, 2 }, "UINT4", { 8, 0 }) },
        OutputTensor = blocks({ 1, 4 }, "FLOAT32", { -4, 0, 30, 6 }) },
    },
  }
end

return {
  define("ELEMENT_WISE_QUANTIZE_LINEAR", quantize_linear), define("ELEMENT_WISE_DEQUANTIZE_LINEAR", dequantize_linear),
  define("ELEMENT_WISE_QUANTIZED_LINEAR_ADD", quantized_linear_add),
  define("DYNAMIC_QUANTIZE_LINEAR", dynamic_quantize_linear), define("QUANTIZE", quantize),
  define("DEQUANTIZE", dequantize),
}
