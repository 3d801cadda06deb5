-- Products of matrices of integers. The last two dimensions are rows and columns; each element of the
-- output is a sum over k, for each of the leading indices by itself.

local A, B, Y = "ATensor", "BTensor", "OutputTensor"
local a, b = element(A), element(B)
local D = dims(A)
local out = place(Y)
local batch, m, n = prefix(out, D - 2), entry(out, D - 2), entry(out, D - 1)
local parameters = { { "d", D } }

local function joined(...)
  local found = {}
  for _, list_of_them in ipairs { ... } do
    for _, one in ipairs(list_of_them) do found[#found + 1] = one end
  end
  return found
end

-- Makes the rule that tensors have the leading sizes of ATensor.
local function batch_rule(page)
  local function leading(T) return prefix(sizes(T), dims(T) - 2) end
  return rule "batch" { equal(leading(B), leading(A)), equal(leading(Y), leading(A)), page = page,
    text = "BTensor and OutputTensor must have the leading sizes of ATensor" }
end

local function open(id, ruling, text, when, gives)
  return behaviour(id) { strength = "open", ruling = ruling, text = text, when = when, gives = gives or "anything" }
end

local denormals = behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" }

local before, beside = "AZeroPointTensor", "BZeroPointTensor"
local types = { [A] = { -128, 255 }, [B] = { -128, 255 }, [before] = { -128, 255 }, [beside] = { -128, 255 } }

-- The sum over k of the products of elements without their zero points.
local integers = over { sizes = concat(size(A, -1)), fold = "sum", (a - element(before)) * (b - element(beside)),
  at = { [A] = concat(batch, m, entry(step(concat(size(A, -1))), 0)),
    [B] = concat(batch, entry(step(concat(size(A, -1))), 0), n) } }

-- Makes the rules of parameters of the rows of A or the columns of B: all sizes are 1, except that of the dimension.
local function parameter_rules(page, id, tensor, dimension, names)
  local sizes_of, vectors = { page = page }, { strength = "open", ruling = "P8" }
  local count = size(tensor, dimension)
  for _, name in ipairs(names) do
    local rank = dims(name)
    local reaches = all_of(present(name), at_least(rank, -dimension))
    sizes_of[#sizes_of + 1] = when(reaches, member(size(name, dimension), concat(1, count)))
    sizes_of[#sizes_of + 1] = when(reaches,
      equal(replace(sizes(name), rank + dimension, 1), filled(1, rank)))
    if dimension == -2 then
      sizes_of[#sizes_of + 1] = when(all_of(present(name), equal(rank, 1)), member(size(name, -1), concat(1, count)))
      vectors[#vectors + 1] = when(all_of(present(name), equal(rank, 1), member(size(name, -1), concat(1, count))),
        equal(size(name, -1), 1))
    end
  end
  sizes_of.text = ("%s must have one element, or one for each %s of %s"):format(table.concat(names, ", "),
    dimension == -2 and "row" or "column", tensor)
  vectors.text = ("%s of one dimension have one element"):format(table.concat(names, ", "))
  return { rule(id) (sizes_of), dimension == -2 and rule(id .. "-vectors") (vectors) or nil }
end

local function integer_rules(page, of_a, of_b, of_output)
  return joined({
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-type" { same "DataType", page = page },
    rule "inner" { equal(size(B, -2), size(A, -1)), page = page,
      text = "BTensor must have as many rows as ATensor has columns" },
    rule "rows" { equal(size(Y, -2), size(A, -2)), page = page },
    rule "columns" { equal(size(Y, -1), size(B, -1)), page = page },
    batch_rule(page),
  }, parameter_rules(page, "a-parameters", A, -2, of_a), parameter_rules(page, "b-parameters", B, -1, of_b),
    of_output and parameter_rules(page, "output-parameters", A, -2, of_output) or {})
end

local function bytes(sizes_of, values) return { "UINT8", sizes_of, values } end
local function small(fields)
  local all = { ruling = "E12", [A] = bytes({ 2, 2 }, { 10, 20, 30, 40 }), [before] = bytes({ 1, 1 }, { 10 }),
    [B] = bytes({ 2, 2 }, { 1, 2, 3, 4 }), [beside] = bytes({ 1, 1 }, { 1 }) }
  for key, one in pairs(fields) do all[key] = one end
  return all
end

-- The situations of products of integers: sums past narrow accumulators, and each form of zero points.
local function integer_situations(more)
  local rows, depth, columns = size(A, -2), size(A, -1), size(B, -1)
  local both_points = { present(before), present(beside) }
  local function ends(fill, text) return situation("sums-" .. fill) { text = text, fill = fill, at_least(depth, 65), both_points } end
  local function wide(id, text, ...)
    return situation("sums-" .. id) { text = text, fill = "far-above", absent(before), absent(beside),
      equal(data_type(B), 5), ... }
  end
  return {
    shape_situations(A), product_situations { rows = rows, depth = depth, columns = columns, other = B },
    ends("far-above", "the elements of ATensor are from 100 to 107"),
    ends("far-below", "the elements of ATensor are from -100 to -93, or below 8"),
    wide("past-16-bits", "sums of few products pass 16 bits", between(depth, 9, 33)),
    wide("past-24-bits", "sums pass the 24 bits of a FLOAT32", at_least(depth, 2049), at_most(rows, 3), at_most(columns, 3)),
    ends("special", "elements and zero points are at the ends of their types"),
    ends("zero", "all elements and zero points are 0"),
    situation "no-zero-points" { text = "there are no zero points", at_least(depth, 33), absent(before), absent(beside) },
    situation "first-zero-point" { text = "only ATensor has a zero point", present(before), absent(beside) },
    situation "second-zero-point" { text = "only BTensor has a zero point", absent(before), present(beside) },
    situation "zero-points-of-rows" { text = "rows have zero points of their own, columns do not", at_least(rows, 2),
      at_least(columns, 2), equal(size(before, -2), rows), equal(size(beside, -1), 1), both_points },
    situation "zero-points-of-columns" { text = "columns have zero points of their own, rows do not", at_least(columns, 2),
      at_least(rows, 2), equal(size(beside, -1), columns), each(sizes(before), 1, 1), both_points },
    situation "zero-points-past-tile" { text = "more than 32 rows and columns have zero points of their own",
      at_least(rows, 33), at_least(columns, 33), both_points, equal(size(before, -2), rows), equal(size(beside, -1), columns) },
    situation "zero-points-apart" { text = "zero points of more than one column have gaps between them", both_points,
      at_least(columns, 2), equal(size(beside, -1), columns), strides = { [beside] = "padded" } },
    situation "zero-points-shared" { text = "zero points of several columns share memory", both_points,
      at_least(columns, 2), equal(size(beside, -1), columns), strides = { [beside] = "broadcast" } },
    situation "zero-points-shorter" { text = "zero points have fewer dimensions than the matrices", both_points,
      at_least(dims(A), 3), below(dims(before), dims(A)), below(dims(beside), dims(A)) },
    situation "batches" { text = "there are several batches in two dimensions", at_least(dims(A), 4),
      at_least(size(A, 0), 2), at_least(size(A, 1), 3) },
    more or {},
  }
end

local function mixed_types()
  return situation "mixed-types" { text = "ATensor is unsigned and BTensor signed, with extremes in both", fill = "special",
    equal(data_type(A), 5), equal(data_type(B), 8), at_least(size(A, -1), 33) }
end

local function scale_situations(names)
  local found = {}
  for _, name in ipairs(names) do
    local is_row = name ~= "BScaleTensor" and name ~= "BiasTensor"
    local dimension, count = is_row and -2 or -1, is_row and size(A, -2) or size(B, -1)
    found[#found + 1] = situation(name .. "-vector") { text = name .. " has several elements", at_least(count, 2),
      present(name), equal(size(name, dimension), count) }
    found[#found + 1] = situation(name .. "-apart") { text = name .. " has gaps between its elements", present(name),
      at_least(count, 2), equal(size(name, dimension), count), strides = { [name] = "padded" } }
  end
  found[#found + 1] = situation "dyadic" { fill = "dyadic", at_least(size(A, -2), 9), at_least(size(B, -1), 33),
    text = "scales of rows and columns are multiples of a power of 2, so that some results are exact, or ties",
    equal(size("AScaleTensor", -2), size(A, -2)), equal(size("BScaleTensor", -1), size(B, -1)) }
  return found
end

local function integer()
  local page = "DML_MATRIX_MULTIPLY_INTEGER"
  return operator "MATRIX_MULTIPLY_INTEGER" {
    parameters = parameters, slice = size(A, -1),
    rules = integer_rules(page, { before }, { beside }),
    situations = integer_situations(mixed_types()),
    results = { result(Y) { integers, overflow = "open" } },
    behaviours = {
      behaviour "multiplies" { page = page, ruling = "P9",
        text = "each element is the exact sum of the products of elements without their zero points" },
    },
    examples = {
      example "page" (small { [Y] = { "INT32", { 2, 2 }, { 20, 30, 60, 110 } } }),
      example "no-zero-points" { ruling = "E12", [A] = { "INT8", { 1, 1, 1, 3 }, { -128, 127, 3 } },
        [B] = bytes({ 1, 1, 3, 1 }, { 255, 255, 2 }), [Y] = { "INT32", { 1, 1, 1, 1 }, { -249 } } },
      example "rows-and-columns" (small { [before] = bytes({ 2, 1 }, { 10, 30 }), [beside] = bytes({ 1, 2 }, { 1, 2 }),
        [Y] = { "INT32", { 2, 2 }, { 20, 20, 20, 20 } } }),
    },
  }
end

local near_one = { 0.03125, 8 }

local function to_float()
  local page, bias = "DML_MATRIX_MULTIPLY_INTEGER_TO_FLOAT", choose(present "BiasTensor", element "BiasTensor", 0)
  local scale = element "AScaleTensor" * element "BScaleTensor"
  local value = integers * scale + bias
  value.text = "the sum of (A - AZeroPoint) * (B - BZeroPoint) over k * AScale * BScale + Bias"
  local greatest_scale = max(abs(element "AScaleTensor"), abs(element "BScaleTensor"))
  local function bound(bits)
    return (part(integers, "count") + 3) * 2.0 ^ -bits * (part(integers, "magnitude") * abs(scale) + abs(bias)) +
      2.0 ^ (bits == 24 and -126 or -14) * (1 + part(integers, "magnitude") * greatest_scale)
  end
  local function floats(sizes_of, values) return { "FLOAT32", sizes_of, values } end
  local unscaled = negated(lt(abs(element "AScaleTensor") + abs(element "BScaleTensor"), inf))
  local has_number = lt(abs(bias), inf)
  local beyond = gt(max(part(integers, "magnitude") * max(abs(scale), greatest_scale), abs(scale)), largest)
  return operator "MATRIX_MULTIPLY_INTEGER_TO_FLOAT" {
    parameters = parameters,
    rules = joined(integer_rules(page, { "AScaleTensor", before }, { "BScaleTensor", beside }), {
      rule "bias-sizes" { when(present "BiasTensor", equal(sizes "BiasTensor", sizes(Y))), page = page },
      rule "a-b-type" { equal(data_type(B), data_type(A)), strength = "open", page = page, ruling = "P10" },
    }),
    situations = integer_situations { scale_situations { "AScaleTensor", "BScaleTensor", "BiasTensor" },
      situation "no-bias" { text = "BiasTensor is absent", at_least(size(A, -1), 33), absent "BiasTensor" },
      situation "bias-shared" { text = "rows of BiasTensor share memory", present "BiasTensor", at_least(size(A, -2), 2),
        strides = { BiasTensor = "broadcast" } } },
    domains = { [A] = types[A], [B] = types[B], [before] = types[before], [beside] = types[beside],
      AScaleTensor = near_one, BScaleTensor = near_one, BiasTensor = { -8, 8 } },
    results = { result(Y) { value, FLOAT32 = bound(24) + ulp(0.5),
      FLOAT16 = { soft = bound(24) + ulp(0.5), must = bound(11) + ulp(0.5) } } },
    behaviours = {
      behaviour "multiplies" { page = page, ruling = "S1, P9",
        text = "each element is the sum of the products of elements without their zero points, times both scales, " ..
          "plus Bias" },
      denormals,
      open("not-finite", "P11", "a scale that is not finite gives any value; an infinite Bias is the result, or gives " ..
        "a NaN beside products that may be beyond the type", either(unscaled, negated(has_number)),
        { { "number", choose(unscaled, within(0, 0x1p129), value) },
          { "undefined", choose(either(unscaled, beyond), nan, value) } }),
      open("wide", "P9", "where the sum may be beyond 32 bits, any value is right",
        both(has_number, gt(part(integers, "magnitude"), 0x7fffffff))),
      open("range", "S3", "where products may be beyond the type, any value is right", both(has_number, beyond)),
    },
    examples = {
      example "page" (small { AScaleTensor = floats({ 1, 1 }, { 0.5 }), BScaleTensor = floats({ 1, 2 }, { 0.25, 2 }),
        BiasTensor = floats({ 2, 2 }, { 100, 200, 100, 200 }), [Y] = floats({ 2, 2 }, { 102.5, 230, 107.5, 310 }) }),
    },
  }
end

local function quantised()
  local page = "DML_QUANTIZED_LINEAR_MATRIX_MULTIPLY"
  local value, opens = quantised_sum { integers, magnitude = part(integers, "magnitude"),
    scales = { element "AScaleTensor", element "BScaleTensor" }, step = element "OutputScaleTensor",
    zero_point = element "OutputZeroPointTensor" }
  local function floats(sizes_of, values) return { "FLOAT32", sizes_of, values } end
  return operator "QUANTIZED_LINEAR_MATRIX_MULTIPLY" {
    parameters = parameters,
    rules = integer_rules(page, { "AScaleTensor", before }, { "BScaleTensor", beside },
      { "OutputScaleTensor", "OutputZeroPointTensor" }),
    situations = integer_situations { mixed_types(),
      scale_situations { "AScaleTensor", "BScaleTensor", "OutputScaleTensor", "OutputZeroPointTensor" },
      situation "output-without-zero-point" { text = "only the output has no zero point", present(before), present(beside),
        absent "OutputZeroPointTensor" } },
    domains = { AScaleTensor = near_one, BScaleTensor = near_one, OutputScaleTensor = { 8, 512 } },
    results = { result(Y) { value } },
    behaviours = joined({
      behaviour "multiplies" { page = page, ruling = "E26, P9",
        text = "each element is the scaled sum of products / OutputScale, rounded with halves to even, plus the " ..
          "zero point, clamped" },
    }, opens),
    examples = {
      example "page" (small { AScaleTensor = floats({ 1, 1 }, { 0.5 }), BScaleTensor = floats({ 1, 2 }, { 0.25, 2 }),
        OutputScaleTensor = floats({ 1, 1 }, { 7 }), OutputZeroPointTensor = bytes({ 1, 1 }, { 3 }),
        [Y] = bytes({ 2, 2 }, { 3, 7, 4, 19 }) }),
    },
  }
end

return {
  define("MATRIX_MULTIPLY_INTEGER", integer), define("QUANTIZED_LINEAR_MATRIX_MULTIPLY", quantised),
  define("MATRIX_MULTIPLY_INTEGER_TO_FLOAT", to_float),
}
