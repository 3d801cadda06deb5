-- Running sums and products along an axis.

local D, Axis = dims "InputTensor", attr "Axis"

-- Returns `fold` over the elements of the row before the output element, or after it, and the element itself; without
-- the element itself if `exclusive`, a BOOL, is not 0.
local function running(fold, exclusive)
  local row = replace(filled(1, D), Axis, size("InputTensor", Axis))
  local skipped = replace(filled(0, D), Axis, 1 - is(attr(exclusive), 0))
  local direction = attr "AxisDirection" * 2 - 1 -- INCREASING: back from the element; DECREASING: on from it
  return over { sizes = row, at = { InputTensor = place "OutputTensor" + (step(row) + skipped) * direction },
    fold = fold, element "InputTensor" }
end

local function cumulative(name, body)
  local page, running_fold = "DML_" .. name, running(body.fold, body.exclusive)
  local behaviours = {
    behaviour "running" { text = body.text, page = page, ruling = "S1" },
    behaviour "exclusive" { text = "an excluded element has no effect on the result, even if it is a NaN",
      page = page, ruling = "S8" },
    behaviour "nans" {
      text = "a NaN element makes a result NaN only if the result contains it; so do infinities whose sum or " ..
        "product is undefined", ruling = "S8" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    behaviour "overflow" { text = "integers wrap modulo 2^width", strength = "soft", ruling = "S2" },
  }
  for _, one in ipairs(body.behaviours(running_fold)) do behaviours[#behaviours + 1] = one end
  local tolerance = rounded(running_fold)
  return {
    parameters = { { "d", D }, { "a", Axis } },
    rules = {
      rule "same-dims" { same "DimensionCount", page = page },
      rule "same-type" { same "DataType", page = page },
      rule "same-sizes" { same "Sizes", page = page },
      rule "axis-range" { below(Axis, D), page = page },
      rule "direction" { one_of(attr "AxisDirection", { 0, 1 }), strength = "soft", ruling = "S6" },
      rule "exclusive-bool" { at_most(attr(body.exclusive), 1), strength = "open", ruling = "S6" },
    },
    situations = { shape_situations "InputTensor", rows_along(Axis) },
    results = { result "OutputTensor" { running_fold, FLOAT32 = tolerance.FLOAT32, FLOAT16 = tolerance.FLOAT16 } },
    behaviours = behaviours, examples = body.examples(page), domains = body.domains,
  }
end

local input = { "FLOAT32", { 1, 1, 3, 4 }, { 2, 1, 3, 5, 3, 8, 7, 3, 9, 6, 2, 4 } }

-- Makes the examples of a page from rows of axis, direction, exclusive or not, and output.
local function examples(exclusive, page, list)
  local found = {}
  for i, one in ipairs(list) do
    found[i] = example(one[1]) { page = page, InputTensor = input, Axis = one[2], AxisDirection = one[3],
      [exclusive] = one[4], OutputTensor = { "FLOAT32", { 1, 1, 3, 4 }, one[5] } }
  end
  return found
end

local function by_hand(exclusive, values)
  return example "decreasing-exclusive" { ruling = "E12", Axis = 3, AxisDirection = 1, [exclusive] = true,
    InputTensor = tensor("FLOAT32", { 2, 3, 4, 5 }), OutputTensor = tensor("FLOAT32", values) }
end

-- Makes an example of a row in which an element that is left out has no effect, or one that takes part has it to the
-- end.
local function special(exclusive, id, direction, values, outcome)
  return example(id) { ruling = "E12", Axis = 0, AxisDirection = direction, [exclusive] = id == "left-out",
    InputTensor = { "FLOAT32", { 4 }, values }, OutputTensor = { "FLOAT32", { 4 }, outcome } }
end

-- Integers that a float of the same width cannot represent.
local function whole(exclusive, type, values, outcome)
  return example("whole-" .. type:lower()) { ruling = "E12", Axis = 0, AxisDirection = 0, [exclusive] = false,
    InputTensor = { type, { 2 }, values }, OutputTensor = { type, { 2 }, outcome } }
end

return {
  operator "CUMULATIVE_SUMMATION" (cumulative("CUMULATIVE_SUMMATION", { fold = "sum", exclusive = "HasExclusiveSum",
    text = "each element is the sum of the elements of its row up to its coordinate; a sum of no elements is 0",
    behaviours = function(sum) return { partial_overflow(sum) } end,
    examples = function(page)
      local exclusive = "HasExclusiveSum"
      local all = examples(exclusive, page, {
        { "increasing", 3, 0, false, { 2, 3, 6, 11, 3, 11, 18, 21, 9, 15, 17, 21 } },
        { "exclusive", 3, 0, true, { 0, 2, 3, 6, 0, 3, 11, 18, 0, 9, 15, 17 } },
        { "decreasing", 3, 1, false, { 11, 9, 8, 5, 21, 18, 10, 3, 21, 12, 6, 4 } },
        { "columns", 2, 0, false, { 2, 1, 3, 5, 5, 9, 10, 8, 14, 15, 12, 12 } },
      })
      all[#all + 1] = by_hand(exclusive, { 12, 9, 5, 0 })
      all[#all + 1] = special(exclusive, "left-out", 0, { 2, 3, 4, nan }, { 0, 2, 5, 9 })
      all[#all + 1] = special(exclusive, "nan-from-the-end", 1, { 2, nan, 4, 5 }, { nan, nan, 9, 5 })
      all[#all + 1] = special(exclusive, "infinities", 0, { 2, inf, -inf, 5 }, { 2, inf, nan, nan })
      all[#all + 1] = whole(exclusive, "INT32", { 16777217, 2 }, { 16777217, 16777219 })
      all[#all + 1] = whole(exclusive, "INT64", { 9007199254740993, 2 }, { 9007199254740993, 9007199254740995 })
      return all
    end })),
  operator "CUMULATIVE_PRODUCT" (cumulative("CUMULATIVE_PRODUCT", { fold = "product", exclusive = "HasExclusiveProduct",
    text = "each element is the product of the elements of its row up to its coordinate; a product of no elements is 1",
    domains = { InputTensor = { 0.5, 2 } },
    behaviours = function(product) return { partial_range(product), partial_zero(product) } end,
    examples = function(page)
      local exclusive = "HasExclusiveProduct"
      local all = examples(exclusive, page, {
        { "increasing", 3, 0, false, { 2, 2, 6, 30, 3, 24, 168, 504, 9, 54, 108, 432 } },
        { "exclusive", 3, 0, true, { 1, 2, 2, 6, 1, 3, 24, 168, 1, 9, 54, 108 } },
        { "decreasing", 3, 1, false, { 30, 15, 15, 5, 504, 168, 21, 3, 432, 48, 8, 4 } },
        { "columns", 2, 0, false, { 2, 1, 3, 5, 6, 8, 21, 15, 54, 48, 42, 60 } },
      })
      all[#all + 1] = by_hand(exclusive, { 60, 20, 5, 1 })
      all[#all + 1] = special(exclusive, "left-out", 0, { 2, inf, 4, 0 }, { 1, 2, inf, inf })
      all[#all + 1] = special(exclusive, "zero-times-infinity", 0, { 2, 0, inf, 5 }, { 2, 0, nan, nan })
      all[#all + 1] = whole(exclusive, "INT32", { 4097, -4099 }, { 4097, -16793603 })
      all[#all + 1] = whole(exclusive, "INT64", { 94906267, -94906269 }, { 94906267, -9007199705687823 })
      return all
    end })),
}
