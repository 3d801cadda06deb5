-- The largest or smallest elements of each sequence along an axis, in order, and their positions.

local D, Axis, K = dims "InputTensor", attr "Axis", attr "K"

-- Returns the sort key of an element: a group and a number in it. A NaN is beyond the infinity of its sign, ordered by
-- its payload; integers beyond the signed range are above all others.
local function order_of(tensor, c)
  local number, bits = tensor:number(c), tensor:get(c)
  if number ~= number then
    local negative = bits > 0xFF800000 or bits > 0xFC00 and bits <= 0xFFFF -- of FLOAT32, of FLOAT16
    return negative and -1 or 1, negative and -bits or bits
  end
  if bits < 0 and number == math.maxinteger then return 1, bits end
  return 0, number
end

local function select_elements(T, descending)
  local input, values, indices, axis = T.InputTensor, T.OutputValueTensor, T.OutputIndexTensor, T.Axis
  local size, k = input.sizes[axis], values.sizes[axis]
  local function run(line)
    local at, groups, numbers, order = copy(line), {}, {}, {}
    for i = 0, size - 1 do
      at[axis] = i
      groups[i], numbers[i] = order_of(input, at)
      order[i + 1] = i
    end
    table.sort(order, function(a, b)
      if groups[a] ~= groups[b] then return (groups[a] < groups[b]) ~= descending end
      if numbers[a] ~= numbers[b] then return (numbers[a] < numbers[b]) ~= descending end
      return a < b
    end)
    for i = 0, k - 1 do
      at[axis] = order[i + 1]
      local bits = input:get(at)
      at[axis] = i
      values:set(at, bits)
      indices:set(at, order[i + 1])
    end
  end
  for c in input:coordinates() do if c[axis] == 0 then run(c) end end
end

-- The size is on the left, since the solver changes the left side where a case asks for a K.
local fits = equal(least(size("InputTensor", Axis), K), K)

local function top(fields)
  local page, descending = fields.page, fields.descending
  local rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-type" { same "DataType", page = page },
    rule "axis-range" { below(Axis, D), page = page },
    rule "k-range" { at_least(K, 1), fits, page = page,
      text = "K must be from 1 to InputTensor.Sizes[Axis]" },
    rule "k-below" { when(fits, at_least(size("InputTensor", Axis), K + 1)),
      strength = "open", page = page,
      text = "K must be less than InputTensor.Sizes[Axis]" },
    rule "value-sizes" { equal(sizes "OutputValueTensor", replace(sizes "InputTensor", Axis, K)), page = page },
    rule "index-sizes" { equal(sizes "OutputIndexTensor", replace(sizes "InputTensor", Axis, K)), page = page },
    fields.rule,
  }
  return {
    groups = { "data", "index" },
    situations = {
      shape_situations("InputTensor", { single = false }), rows_along(Axis),
      situation "k-above-64" { text = "K is above 64", at_least(K, 65) },
      situation "k-above-256" { text = "K is above 256", at_least(K, 257) },
      situation "k-of-all-but-one" { text = "K is one below the size of the axis, which is above 32", at_least(K, 33),
        equal(size("InputTensor", Axis), K + 1) },
      situation "k-of-all" { text = "K is the size of the axis", equal(size("InputTensor", Axis), K) },
      situation "k-of-one" { text = "K is 1, and the axis has more than 256 elements", equal(K, 1),
        at_least(size("InputTensor", Axis), 257) },
      situation "position-past-65535" { text = "the first positions have more than 16 bits", fill = "counting",
        at_most(K, 4), at_least(size("InputTensor", Axis), 65540), fields.decreasing or {} },
    },
    parameters = { { "d", D }, { "a", Axis }, { "k", K } },
    rules = rules,
    behaviours = {
      behaviour "selects" {
        text = "the values are the first K elements in order, the indices their positions along Axis", page = page },
      behaviour "ties" { text = "equal elements are in the order of their indices, for both directions", page = page,
        accepts = "first", reports = "last each" },
      behaviour "nan-order" { text = "a NaN may be anywhere in the order; the numbers are in order", strength = "open",
        ruling = "R8", anywhere = true, accepts = "first last each other" },
      behaviour "signed-zeros" { text = "zeros of both signs are equal", strength = "soft", ruling = "R8" },
      behaviour "exact" { text = "values are copied bit for bit", ruling = "A26" },
      behaviour "nan-payloads" { text = "NaNs are copied bit for bit, too", strength = "soft", ruling = "A26" },
      behaviour "denormals" { text = "denormals are ordered and copied, not flushed to zero", strength = "soft",
        ruling = "A26, R8" },
    },
    selection = selection "OutputIndexTensor" { values = "OutputValueTensor", of = "InputTensor", along = Axis,
      descending = descending },
    meaning = fields.meaning,
    examples = fields.examples,
  }
end

local function data(sizes, values) return { "FLOAT32", sizes, values } end
local first = data({ 1, 1, 3, 4 }, { 0, 1, 10, 11, 3, 2, 9, 8, 4, 5, 6, 7 })
local equals = data({ 1, 1, 3, 4 }, { 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 6, 6 })
local function largest(page, direction)
  local function one(id, axis, k, input, sizes, values, indices)
    return example(id) { page = page, Axis = axis, K = k, AxisDirection = direction, InputTensor = input,
      OutputValueTensor = data(sizes, values), OutputIndexTensor = { "UINT32", sizes, indices } }
  end
  return {
    one("rows", 3, 2, first, { 1, 1, 3, 2 }, { 11, 10, 9, 8, 7, 6 }, { 3, 2, 2, 3, 3, 2 }),
    one("columns", 2, 2, first, { 1, 1, 2, 4 }, { 4, 5, 10, 11, 3, 2, 9, 8 }, { 2, 2, 0, 0, 1, 1, 1, 1 }),
    one("equal", 3, 3, equals, { 1, 1, 3, 3 }, { 3, 2, 2, 5, 5, 4, 6, 6, 6 }, { 3, 1, 2, 2, 3, 1, 0, 1, 2 }),
  }
end

local of_top_k1 = largest("DML_TOP_K1", "DECREASING")
of_top_k1[4] = example "smallest" { page = "DML_TOP_K1", Axis = 3, K = 3, AxisDirection = "INCREASING",
  InputTensor = equals, OutputValueTensor = data({ 1, 1, 3, 3 }, { 1, 2, 2, 3, 4, 5, 6, 6, 6 }),
  OutputIndexTensor = { "UINT32", { 1, 1, 3, 3 }, { 0, 1, 2, 0, 1, 2, 0, 1, 2 } } }

return {
  operator "TOP_K" (top { page = "DML_TOP_K", descending = 1, examples = largest "DML_TOP_K",
    meaning = function(T) select_elements(T, true) end }),
  operator "TOP_K1" (top { page = "DML_TOP_K1", descending = attr "AxisDirection",
    decreasing = equal(attr "AxisDirection", 1), examples = of_top_k1,
    rule = rule "axis-direction" { one_of(attr "AxisDirection", { 0, 1 }), strength = "soft", page = "DML_TOP_K1" },
    meaning = function(T) select_elements(T, T.AxisDirection == "DECREASING" or T.AxisDirection == 1) end }),
}
