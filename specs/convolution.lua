-- Convolutions: each element of the output is a sum over the channels of its group and over the elements of the filter.
-- Elements in the padding take no part. CONVOLUTION has a backward direction, too; convolutions of integers have not.

local page = "DML_CONVOLUTION"
local X, F, B, Y = "InputTensor", "FilterTensor", "BiasTensor", "OutputTensor"
local D, G = dims(X), attr "GroupCount"
local strides, dilations, start, last = list "Strides", list "Dilations", list "StartPadding", list "EndPadding"
local window = slice(sizes(F), 2, dims(F))
local input, output = slice(sizes(X), 2, D), slice(sizes(Y), 2, dims(Y))
local extent = (window - 1) * dilations + 1
local also = { "ELEMENT_WISE_CLIP" }

-- ---- the sums

local at, per_group, channels = place(Y), size(Y, 1) // G, size(X, 1) // G
local loop = concat(G, channels, window)
local t = step(loop)
local group, c, tap = entry(t, 0), entry(t, 1), slice(t, 2, D)
local flipped = is(attr "Mode", 0)
local element_of_filter = tap * (1 - flipped) + (window - 1 - tap) * flipped
local in_group = entry(at, 1) - group * per_group -- a step takes part only if this is an index in the group

-- Sums a formula of elements of the input and the filter. `tap_of_filter`: the coordinates in the window.
local function forward(product, tap_of_filter)
  local own = divided(concat(in_group), concat(1), concat(per_group))
  return over { sizes = loop, fold = "sum", product, at = {
    [X] = concat(entry(at, 0), group * channels + c, slice(at, 2, D) * strides + tap * dilations - start),
    [F] = concat(entry(own, 0) + group * per_group, c, tap_of_filter),
  } }
end

-- The coordinate of the output, plus StartPadding, is the stride times that of the input, plus the gap times the tap.
local function backward()
  local back = divided(concat(in_group, slice(at, 2, D) + start - tap * dilations), concat(1, strides),
    concat(per_group, input))
  return over { sizes = loop, fold = "sum", element(X) * element(F), at = {
    [X] = concat(entry(at, 0), group * channels + c, slice(back, 1, D - 1)),
    [F] = concat(group * channels + c, entry(back, 0), element_of_filter),
  } }
end

local f, b = forward(element(X) * element(F), element_of_filter), backward()
local bias = over { sizes = concat(1), fold = "sum", element(B),
  at = { [B] = concat(0, entry(at, 1), filled(0, D - 2)) } }
local is_forward, has_bias = eq(attribute "Direction", 0), present(B)
local function of(name) return choose(is_forward, part(f, name), part(b, name)) end
local value = choose(is_forward, f, b) + choose(has_bias, bias, 0)
value.text = "the sum of InputTensor * FilterTensor + BiasTensor"

-- Each product and each addition is rounded. No order rounds if all products and sums fit and the bias adds nothing.
local finite_bias = choose(both(has_bias, lt(abs(bias), inf)), abs(bias), 0)
local function error_of(bits)
  local count = of "count" + 1
  local terms = of "magnitude" + finite_bias
  local rounds = choose(is_forward, inexact(f, bits), inexact(b, bits))
  local bound = count * 2.0 ^ -bits * terms + count * 2.0 ^ (bits == 24 and -149 or -24)
  return named(choose(either(rounds, choose(has_bias, ne(bias, 0), 0)), bound, 0), ("rounding%d"):format(bits))
end
local narrow, wide = error_of(24), error_of(11)
local once = choose(eq(narrow, 0), 0, ulp(0.5))

-- A transform such as Winograd's rounds numbers as large as the largest of the input.
local most_input = max(abs(greatest_of(X)), abs(least_of(X)))
local most_filter = max(abs(greatest_of(F)), abs(least_of(F)))
local transformed = 4 * (of "count" + 2) * 0x1p-24 * most_input * of "count" * most_filter

local overflows = both(gt(of "peak" + finite_bias, largest), eq(of "nans", 0))
local is_infinite = either(gt(of "infinities", 0), both(has_bias, is_inf(bias)))
local may_be_nan = both(overflows, is_infinite)

local function open(id, text, ruling, when, gives)
  return behaviour(id) { strength = "open", ruling = ruling, text = text, when = when, gives = gives }
end

local behaviours = {
  behaviour "convolves" { page = page, ruling = "P1, P4",
    text = "each element is the sum over the channels of its group and the elements of the filter, plus the bias" },
  behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  open("partial", "where partial sums may be beyond the type, any value is right", "S3",
    both(overflows, negated(is_infinite)), "anything"),
  open("partial-infinite", "where partial sums may be beyond the type, an infinity beside them may give a NaN", "S3",
    may_be_nan, { { "undefined", activated(nan) } }),
}
for _, one in ipairs(fused_behaviours(value, nil, also, may_be_nan)) do behaviours[#behaviours + 1] = one end

-- ---- rules

local forwards, backwards = equal(attr "Direction", 0), equal(attr "Direction", 1)
local padded = output - list "OutputPadding" + start + last
local reaches = at_most((window - 1) * least(dilations, 0x80000000), input + start + last)
local grouped = at_least(G, 1)
local sizes_of_bias = when(present(B), equal(sizes(B), replace(filled(1, D), 1, size(Y, 1))))

local function groups_rule()
  return rule "groups" { grouped, divides(G, size(X, 1)), divides(G, size(Y, 1)), ruling = "P5" }
end

local function example_of(id, fields)
  local all = { ruling = "E12", Mode = 1, Direction = 0, DimensionCount = 2, Strides = { 1, 1 }, Dilations = { 1, 1 },
    StartPadding = { 0, 0 }, EndPadding = { 0, 0 }, OutputPadding = { 0, 0 }, GroupCount = 1 }
  for key, one in pairs(fields) do all[key] = one end
  return example(id) (all)
end
local function floats(sizes, values) return { "FLOAT32", sizes, values } end
local nine = floats({ 1, 1, 3, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 })
local four = floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 })
local function filled_with(count, number)
  local values = {}
  for i = 1, count do values[i] = number end
  return values
end

-- ---- situations

local function convolution_situations()
  local columns, channels_of, filters, across = size(X, -1), size(X, 1), size(Y, 1), size(F, -1)
  local ahead, back = { equal(attr "Direction", 0) }, { equal(attr "Direction", 1) }
  local whole = { ahead, equal(G, 1) }
  local apart, gap, first, beyond = entry(strides, -1), entry(dilations, -1), entry(start, -1), entry(last, -1)
  local function forward_of(id, text, ...) return situation(id) { text = text, ahead, ... } end
  local function backward_of(id, text, ...) return situation("backward-" .. id) { text = "BACKWARD: " .. text, back, ... } end
  return {
    shape_situations(X, { also = ahead }), number_situations(X), fused_situations "FusedActivation",
    sliding_situations { windows = window, strides = strides, dilations = dilations, before = start, after = last,
      image = input, count = attr "DimensionCount", also = ahead },
    forward_of("depthwise", "each of several channels is a group", at_least(channels_of, 3), equal(G, channels_of),
      equal(filters, channels_of), at_least(across, 3)),
    forward_of("depthwise-more", "each channel is a group with two outputs", at_least(channels_of, 3), equal(G, channels_of),
      equal(filters, channels_of * 2), at_least(across, 2)),
    forward_of("groups-of-several", "there are three groups of two channels and four outputs", equal(channels_of, 6),
      equal(G, 3), equal(filters, 12), at_least(across, 2)),
    forward_of("groups-of-pairs", "two groups have two channels and two outputs each", equal(channels_of, 4),
      equal(G, 2), equal(filters, 4), at_least(across, 2)),
    forward_of("groups-of-many", "two groups have more than 16 channels and more than 16 outputs each",
      equal(channels_of, 38), equal(G, 2), equal(filters, 34)),
    forward_of("groups-by-point", "three groups have three channels and two outputs each, and filters have one element",
      equal(channels_of, 9), equal(G, 3), equal(filters, 6), each(window, 1, 1)),
    situation "one-filter" { text = "there is one output, of several channels", whole, at_least(channels_of, 3),
      equal(filters, 1), at_least(across, 2) },
    situation "one-channel" { text = "there are several outputs, of one channel", whole, equal(channels_of, 1),
      at_least(filters, 3), at_least(across, 2) },
    situation "pointwise" { text = "filters of one element are a product of matrices of more than 32 channels", whole,
      at_least(channels_of, 33), at_least(filters, 33), each(window, 1, 1), each(strides, 1, 1) },
    situation "channels-prime" { text = "the numbers of channels and outputs are primes", whole, equal(channels_of, 17),
      equal(filters, 19), at_least(across, 2) },
    situation "sum-past-1024" { text = "sums have more than 1024 terms", whole, at_least(channels_of, 343),
      at_least(across, 3), at_most(filters, 2) },
    situation "three-by-three" { text = "filters are 3 by 3 without gaps, and the output has odd sizes", whole,
      equal(D, 4), at_least(columns, 9), each(window, 3, 3), each(strides, 1, 1), each(dilations, 1, 1),
      one_of(size(Y, -1) % 2, { 1 }) },
    situation "units" { text = "the magnitudes of all elements are 1 or 2, so that sums are exact", fill = "units", ahead,
      at_least(columns, 9), at_least(across, 3) },
    situation "flipped-past-tile" { text = "filters are flipped, in rows of more than 32 elements", ahead,
      equal(attr "Mode", 0), at_least(columns, 33), at_least(across, 3) },
    situation "bias-past-256" { text = "more than 256 outputs have a bias", whole, present(B), equal(filters, 263) },
    situation "bias-of-many" { text = "more than 32 outputs have a bias", whole, present(B), at_least(filters, 33) },
    situation "without-bias" { text = "BiasTensor is absent", ahead, absent(B), at_least(columns, 9), at_least(across, 2) },
    situation "filter-permuted" { text = "the dimensions of the filter are in another order in memory", ahead,
      at_least(columns, 5), at_least(across, 3), strides = { [F] = "permuted" } },
    situation "filter-broadcast" { text = "elements of the filter share memory", ahead, at_least(columns, 5),
      at_least(across, 3), strides = { [F] = "broadcast" } },
    situation "fused" { text = "an activation follows on a result of more than 32 columns", ahead, present "FusedActivation",
      at_least(columns, 36), at_least(across, 2) },
    situation "batches" { text = "there are several batches and channels", ahead, at_least(size(X, 0), 3),
      at_least(channels_of, 2), at_least(across, 2) },
    backward_of("strided", "elements are apart, and filters overlap", equal(apart, 2), at_least(across, 3)),
    backward_of("apart", "the stride is above the filter's size, so that elements have no term", at_least(apart, 3),
      at_most(across, 2)),
    backward_of("padded", "the paddings differ", at_least(first, 1), equal(beyond, 0), at_least(across, 3)),
    backward_of("gaps", "filters have gaps that the stride does not divide", equal(gap, 3), equal(apart, 2),
      at_least(across, 2)),
    backward_of("groups", "there are several groups of several outputs", at_least(G, 2), at_least(size(F, 1), 2)),
    backward_of("depthwise", "each of several channels is a group", at_least(channels_of, 3), equal(G, channels_of),
      equal(size(F, 1), 1), at_least(across, 2)),
    backward_of("flipped", "filters are flipped", equal(attr "Mode", 0), at_least(across, 3), at_least(columns, 3)),
    backward_of("past-tile", "rows have more than 32 elements", at_least(columns, 33), at_least(across, 2), equal(apart, 2)),
  }
end

local convolution = operator "CONVOLUTION" {
  parameters = { { "d", D }, { "g", G } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-type" { same "DataType", page = page },
    rule "constants" { one_of(attr "Mode", { 0, 1 }), one_of(attr "Direction", { 0, 1 }), page = page },
    groups_rule(),
    rule "batch" { equal(size(Y, 0), size(X, 0)), page = page },
    rule "channels" { ruling = "P5", text = "FORWARD: FilterTensor must be {output channels, input channels of a " ..
        "group, …}; BACKWARD: {input channels, output channels of a group, …}",
      when(all_of(forwards, grouped), equal(size(F, 1) * G, size(X, 1)), equal(size(F, 0), size(Y, 1))),
      when(all_of(backwards, grouped), equal(size(F, 0), size(X, 1)), equal(size(F, 1) * G, size(Y, 1))) },
    rule "bias-sizes" { page = page, sizes_of_bias },
    windows { input = X, output = Y, window = window, dilations = true, extra = list "OutputPadding",
      arrays = { "OutputPadding" }, when = forwards, fits = { reaches }, page = page, rulings = { "W1", "W2" } },
    rule "sizes-backward" { strength = "soft", ruling = "P6",
      text = "BACKWARD: the sizes of InputTensor must be those of a FORWARD over OutputTensor",
      when(backwards, at_least(padded, extent), equal((padded - extent) // strides + 1, input)) },
    rule "output-padding" { each(list "OutputPadding", 0, 0), strength = "open", ruling = "P7",
      text = "OutputPadding is 0" },
    fused_rules("FusedActivation", page, nil, also),
  },
  results = fused_results { value, output = Y, field = "FusedActivation", error = narrow, also = also,
    FLOAT32 = { soft = narrow, must = max(narrow, transformed) },
    FLOAT16 = { soft = narrow + once, must = max(wide, transformed) + once } },
  situations = convolution_situations(),
  domains = { [X] = { -2, 2 }, [F] = { -2, 2 }, [B] = { -8, 8 } },
  behaviours = behaviours,
  examples = {
    example_of("dxdispatch", { InputTensor = nine, FilterTensor = floats({ 1, 1, 2, 2 }, filled_with(4, 0.5)),
      OutputTensor = floats({ 1, 1, 2, 2 }, { 6, 8, 12, 14 }) }),
    example_of("dxdispatch-3d", { DimensionCount = 3, Strides = { 1, 1, 1 }, Dilations = { 1, 1, 1 },
      StartPadding = { 0, 0, 0 }, EndPadding = { 0, 0, 0 }, OutputPadding = { 0, 0, 0 },
      InputTensor = floats({ 1, 1, 3, 3, 3 }, filled_with(27, 1)),
      FilterTensor = floats({ 1, 1, 2, 2, 2 }, filled_with(8, 0.5)),
      OutputTensor = floats({ 1, 1, 2, 2, 2 }, filled_with(8, 4)) }),
    example_of("cross", { InputTensor = nine, FilterTensor = four,
      OutputTensor = floats({ 1, 1, 2, 2 }, { 37, 47, 67, 77 }) }),
    example_of("flipped", { Mode = 0, InputTensor = nine, FilterTensor = four,
      OutputTensor = floats({ 1, 1, 2, 2 }, { 23, 33, 53, 63 }) }),
    example_of("groups", { DimensionCount = 1, Strides = { 2 }, Dilations = { 2 }, StartPadding = { 1 },
      EndPadding = { 1 }, OutputPadding = { 0 }, GroupCount = 2,
      InputTensor = floats({ 1, 2, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8 }),
      FilterTensor = floats({ 4, 1, 2 }, { 1, 1, 1, -1, 2, 0, 0, 3 }),
      BiasTensor = floats({ 1, 4, 1 }, { 10, 20, 30, 40 }),
      OutputTensor = floats({ 1, 4, 2 }, { 12, 16, 18, 18, 30, 42, 58, 64 }) }),
    example_of("backward", { Direction = 1, Strides = { 2, 2 }, InputTensor = four, FilterTensor = four,
      OutputTensor = floats({ 1, 1, 4, 4 }, { 1, 2, 2, 4, 3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16 }) }),
    example_of("backward-flipped", { Mode = 0, Direction = 1, Strides = { 2, 2 }, InputTensor = four,
      FilterTensor = four,
      OutputTensor = floats({ 1, 1, 4, 4 }, { 4, 3, 8, 6, 2, 1, 4, 2, 12, 9, 16, 12, 6, 3, 8, 4 }) }),
    example_of("backward-padded", { Direction = 1, Strides = { 2, 2 }, StartPadding = { 1, 1 }, EndPadding = { 1, 1 },
      InputTensor = four, FilterTensor = nine,
      OutputTensor = floats({ 1, 1, 3, 3 }, { 5, 14, 10, 14, 36, 24, 15, 34, 20 }) }),
    example_of("backward-larger", { Direction = 1, Strides = { 2, 2 }, StartPadding = { 1, 1 }, EndPadding = { 1, 1 },
      InputTensor = four, FilterTensor = nine,
      OutputTensor = floats({ 1, 1, 4, 4 }, { 5, 14, 10, 12, 14, 36, 24, 30, 15, 34, 20, 24, 24, 55, 32, 36 }) }),
  },
}

-- ---- convolutions of integers

local zero_of_input, zero_of_filter = "InputZeroPointTensor", "FilterZeroPointTensor"

-- Returns the element of a scale or a zero point for the output's channel: it has one for all, or one for each.
local function of_channel(name)
  return over { sizes = concat(1), fold = "sum", element(name),
    at = { [name] = filled(entry(at, 1), dims(name)) * least(sizes(name) - 1, 1) } }
end

local filter_alone = element(F) - of_channel(zero_of_filter)
local integers = forward((element(X) - element(zero_of_input)) * filter_alone, tap)

-- A device that pads with the integer 0 subtracts the zero point from it, too. Returns what its sum has too much.
local function added_by_padding()
  local taps = concat(channels, window)
  local all = over { sizes = taps, fold = "sum", filter_alone, at = { [F] = concat(entry(at, 1), step(taps)) } }
  return element(zero_of_input) * (forward(filter_alone, tap) - all)
end

-- Returns the behaviours of convolutions of integers. `result_of`: the function from the sum to the result.
local function integer_behaviours(source, text, result_of)
  local added = added_by_padding()
  return {
    behaviour "convolves" { page = source, ruling = "P9, P13", text = text },
    behaviour "padding" { strength = "soft", ruling = "P13",
      text = "padding counts as the zero point of the input, not as the integer 0", when = ne(added, 0),
      gives = { { "zeros", result_of(integers + added) } } },
  }
end

local function one_element(id, source, ...)
  local rule_of = { page = source }
  for i, name in ipairs { ... } do rule_of[i] = when(present(name), each(sizes(name), 1, 1)) end
  return rule(id) (rule_of)
end

-- Makes the rules of a scale or a zero point of the filter, and that of numbers of dimensions that no page describes.
local function of_filter(id, source, name)
  local rank, numbers = dims(name), concat(1, size(Y, 1))
  local like_output, vector = all_of(present(name), equal(rank, D)), all_of(present(name), equal(rank, 1))
  local other = all_of(present(name), any_of(between(rank, 2, D - 1), at_least(rank, D + 1)))
  return {
    rule(id) { page = source, ruling = "P12", text = name .. " must have one element, or one for each output channel",
      when(like_output, member(size(name, 1), numbers), equal(replace(sizes(name), 1, 1), filled(1, rank))),
      when(vector, member(size(name, 0), numbers)),
      when(other, member(elements(name), numbers)) },
    rule(id .. "-dimensions") { strength = "open", ruling = "P12",
      text = name .. " of other dimensions than 1 and those of the input has one element",
      when(other, each(sizes(name), 1, 1)) },
  }
end

local function integer_rules(source, more)
  local found = {
    rule "same-dims" { same "DimensionCount", page = source },
    rule "same-type" { same "DataType", page = source },
    groups_rule(),
    rule "batch" { equal(size(Y, 0), size(X, 0)), page = source },
    rule "channels" { ruling = "P5", text = "FilterTensor must be {output channels, input channels of a group, …}",
      when(grouped, equal(size(F, 1) * G, size(X, 1)), equal(size(F, 0), size(Y, 1))) },
    windows { input = X, output = Y, window = window, dilations = true, fits = { reaches }, page = source,
      rulings = { "W1", "W2" } },
    of_filter("filter-zero-point", source, zero_of_filter),
  }
  for _, one in ipairs(more) do found[#found + 1] = one end
  return found
end

-- The shapes at which convolutions are wrong in devices.
local function integer_situations()
  local function final(list_of) return entry(list_of, -1) end
  local several = { at_least(final(window), 2), at_least(size(X, -1), 5) }
  return {
    situation "depthwise" { text = "each input channel has a filter of its own", at_least(G, 3), equal(size(X, 1), G),
      equal(size(Y, 1), G), several },
    situation "depthwise-multiplied" { text = "each input channel has two filters of its own", at_least(G, 2),
      equal(size(X, 1), G), equal(size(Y, 1), 2 * G), several },
    situation "groups" { text = "groups have several channels, of the input and of the output", at_least(G, 2),
      at_least(size(X, 1), 2 * G), at_least(size(Y, 1), 2 * G) },
    situation "pointwise" { text = "the filter has one element for each channel", at_least(size(X, 1), 5),
      at_least(size(Y, 1), 3), equal(G, 1), each(window, 1, 1), at_least(size(X, -1), 3) },
    situation "groups-of-many" { text = "two groups have more than 16 channels and more than 16 outputs each",
      equal(G, 2), equal(size(X, 1), 38), equal(size(Y, 1), 34) },
    situation "columns-past-32" { text = "the filter has more than 32 columns, and there are several windows",
      at_least(final(window), 33), at_least(size(X, -1), 71), at_most(final(strides), 3) },
    situation "rows-past-32" { text = "the filter has more than 32 rows, and there are several windows",
      equal(dims(X), 4), at_least(entry(window, -2), 33), at_least(size(X, -2), 71), at_most(entry(strides, -2), 3) },
    situation "many-channels" { text = "the channels are no multiple of 4, and more than 64", equal(G, 1),
      at_least(size(X, 1), 65), one_of(size(X, 1) % 4, { 1, 3 }) },
    situation "one-dimension" { text = "there is one spatial dimension, with several windows", equal(dims(X), 3),
      several },
    situation "strides-and-gaps" { text = "windows have gaps, and strides above 1", at_least(final(dilations), 2),
      at_least(final(strides), 2), several, at_least(size(X, -1), 9) },
    situation "start-padding" { text = "windows begin in the padding alone", several, at_least(final(start), 1),
      equal(final(last), 0) },
    situation "end-padding" { text = "windows end in the padding alone", several, at_least(final(last), 1),
      equal(final(start), 0) },
    situation "padding-alone" { text = "some windows are in the padding alone", several,
      at_least(final(start), final(extent)) },
    situation "rounded-down" { text = "the last elements of the padded input are in no window",
      at_least(final(strides), 3), several,
      at_least((size(X, -1) + final(start) + final(last) - final(extent)) % final(strides), 1) },
    situation "padded-zero-point" { text = "windows reach into the padding, and the input has a zero point", several,
      at_least(final(start), 1), present(zero_of_input) },
    situation "zero-points-of-channels" { text = "each output channel has a zero point of its own",
      at_least(size(Y, 1), 3), present(zero_of_filter), equal(elements(zero_of_filter), size(Y, 1)) },
    situation "zero-points-repeated" { text = "the zero points of channels are one number, and the filter is permuted",
      at_least(size(Y, 1), 3), present(zero_of_filter), equal(elements(zero_of_filter), size(Y, 1)),
      strides = { [F] = "permuted", [zero_of_input] = "packed", [zero_of_filter] = "broadcast" } },
    situation "zero-points-absent" { text = "there are no zero points", absent(zero_of_input), absent(zero_of_filter),
      several },
  }
end

local function bytes(sizes, values) return { "UINT8", sizes, values } end
local function signed(sizes, values) return { "INT8", sizes, values } end

local function integer_example(id, fields)
  local all = { ruling = "E12", DimensionCount = 2, Strides = { 1, 1 }, Dilations = { 1, 1 }, StartPadding = { 0, 0 },
    EndPadding = { 0, 0 }, GroupCount = 1 }
  for key, one in pairs(fields) do all[key] = one end
  return example(id) (all)
end

local function integer()
  local source = "DML_CONVOLUTION_INTEGER"
  return operator "CONVOLUTION_INTEGER" {
    parameters = { { "d", D }, { "g", G } },
    situations = integer_situations(),
    rules = integer_rules(source, { one_element("input-zero-point", source, zero_of_input) }),
    results = { result(Y) { integers, overflow = "open" } },
    behaviours = integer_behaviours(source, "each element is the exact sum of the products of elements without " ..
      "their zero points", function(sum) return sum end),
    examples = {
      integer_example("padded", { StartPadding = { 0, 1 }, EndPadding = { 0, 1 },
        InputTensor = bytes({ 1, 1, 1, 3 }, { 5, 6, 7 }), InputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 4 }),
        FilterTensor = bytes({ 1, 1, 1, 2 }, { 1, 2 }), OutputTensor = { "INT32", { 1, 1, 1, 4 }, { 2, 5, 8, 3 } } }),
      integer_example("no-zero-points", { InputTensor = bytes({ 1, 1, 3, 3 }, { 0, 255, 128, 1, 2, 3, 250, 17, 9 }),
        FilterTensor = signed({ 1, 1, 2, 2 }, { -128, 127, 5, -1 }),
        OutputTensor = { "INT32", { 1, 1, 2, 2 }, { 32388, -16377, 1359, 201 } } }),
      integer_example("depthwise", { GroupCount = 2,
        InputTensor = bytes({ 1, 2, 3, 3 }, { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 }),
        InputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 10 }),
        FilterTensor = bytes({ 2, 1, 2, 2 }, { 1, 2, 3, 4, 5, 6, 7, 8 }),
        FilterZeroPointTensor = bytes({ 1, 2, 1, 1 }, { 1, 5 }),
        OutputTensor = { "INT32", { 1, 2, 2, 2 }, { 19, 25, 37, 43, 73, 79, 91, 97 } } }),
      integer_example("one-dimension", { DimensionCount = 1, Strides = { 2 }, Dilations = { 2 }, StartPadding = { 1 },
        EndPadding = { 1 }, GroupCount = 2, InputTensor = bytes({ 1, 2, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8 }),
        InputZeroPointTensor = bytes({ 1 }, { 3 }),
        FilterTensor = signed({ 4, 1, 2 }, { 1, 1, 1, -1, 2, 0, 0, 3 }),
        FilterZeroPointTensor = signed({ 4 }, { 1, -1, 2, 0 }),
        OutputTensor = { "INT32", { 1, 4, 2 }, { 0, 0, 0, -2, -6, -10, 9, 15 } } }),
    },
  }
end

local function quantised()
  local source, scale_of_filter = "DML_QUANTIZED_LINEAR_CONVOLUTION", "FilterScaleTensor"
  local added = choose(present(B), bias, 0)
  local function quantise(sum)
    return quantised_sum { sum + added, magnitude = part(integers, "magnitude") + abs(added),
      scales = { element "InputScaleTensor", of_channel(scale_of_filter) }, step = element "OutputScaleTensor",
      zero_point = element "OutputZeroPointTensor" }
  end
  local result_of_sum, opens = quantise(integers)
  local found = integer_behaviours(source, "each element is the sum of the products of elements without their " ..
    "zero points, plus the bias, times the scales of input and filter / OutputScale, rounded with halves to even, " ..
    "plus the zero point, clamped", function(sum) return (quantise(sum)) end)
  for _, one in ipairs(opens) do found[#found + 1] = one end
  local several = all_of(present(zero_of_filter), equal(elements(zero_of_filter), size(Y, 1)),
    any_of(equal(dims(zero_of_filter), D), equal(dims(zero_of_filter), 1)))
  local situations = integer_situations()
  for _, one in ipairs {
    situation "scales-of-channels" { text = "each output channel has a scale and a zero point of its own",
      at_least(size(Y, 1), 3), equal(elements(scale_of_filter), size(Y, 1)), present(zero_of_filter),
      equal(elements(zero_of_filter), size(Y, 1)) },
    situation "bias-of-groups" { text = "groups of several output channels have a bias", present(B), at_least(G, 2),
      at_least(size(Y, 1), 2 * G) },
  } do situations[#situations + 1] = one end
  local function scales(sizes, values) return { "FLOAT32", sizes, values } end
  return operator "QUANTIZED_LINEAR_CONVOLUTION" {
    parameters = { { "d", D }, { "g", G } },
    situations = situations,
    rules = integer_rules(source, {
      one_element("one-element", source, "InputScaleTensor", zero_of_input, "OutputScaleTensor",
        "OutputZeroPointTensor"),
      of_filter("filter-scale", source, scale_of_filter),
      rule "filter-quantisation" { strength = "open", ruling = "P14",
        text = "there are as many zero points of the filter as scales",
        when(all_of(present(zero_of_filter), equal(elements(zero_of_filter), 1)), each(sizes(scale_of_filter), 1, 1)),
        when(several, equal(elements(scale_of_filter), size(Y, 1))) },
      rule "bias-sizes" { page = source, sizes_of_bias },
    }),
    domains = { InputScaleTensor = { 0.03125, 8 }, [scale_of_filter] = { 0.03125, 8 }, OutputScaleTensor = { 8, 512 },
      [B] = { -20000, 20000 } },
    results = { result(Y) { result_of_sum } },
    behaviours = found,
    examples = {
      integer_example("padded", { StartPadding = { 0, 1 }, EndPadding = { 0, 1 },
        InputTensor = bytes({ 1, 1, 1, 3 }, { 5, 6, 7 }), InputScaleTensor = scales({ 1, 1, 1, 1 }, { 0.5 }),
        InputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 4 }), FilterTensor = bytes({ 1, 1, 1, 2 }, { 1, 2 }),
        FilterScaleTensor = scales({ 1, 1, 1, 1 }, { 0.25 }), OutputScaleTensor = scales({ 1, 1, 1, 1 }, { 0.25 }),
        OutputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 3 }), OutputTensor = bytes({ 1, 1, 1, 4 }, { 4, 5, 7, 5 }) }),
      integer_example("depthwise", { GroupCount = 2,
        InputTensor = bytes({ 1, 2, 3, 3 }, { 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27 }),
        InputScaleTensor = scales({ 1 }, { 2 }), InputZeroPointTensor = bytes({ 1 }, { 10 }),
        FilterTensor = bytes({ 2, 1, 2, 2 }, { 1, 2, 3, 4, 5, 6, 7, 8 }),
        FilterScaleTensor = scales({ 1, 2, 1, 1 }, { 0.5, 0.25 }),
        FilterZeroPointTensor = bytes({ 1, 2, 1, 1 }, { 1, 5 }), BiasTensor = { "INT32", { 1, 2, 1, 1 }, { 1, -73 } },
        OutputScaleTensor = scales({ 1 }, { 4 }), OutputZeroPointTensor = bytes({ 1 }, { 10 }),
        OutputTensor = bytes({ 1, 2, 2, 2 }, { 15, 16, 20, 21, 10, 11, 12, 13 }) }),
      integer_example("clamped", { DimensionCount = 1, Strides = { 2 }, Dilations = { 2 }, StartPadding = { 1 },
        EndPadding = { 1 }, GroupCount = 2, InputTensor = bytes({ 1, 2, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8 }),
        InputScaleTensor = scales({ 1 }, { 1 }), InputZeroPointTensor = bytes({ 1 }, { 3 }),
        FilterTensor = signed({ 4, 1, 2 }, { 1, 1, 1, -1, 2, 0, 0, 3 }),
        FilterScaleTensor = scales({ 4 }, { 1, 1, 2, 0.5 }),
        FilterZeroPointTensor = signed({ 4 }, { 1, -1, 2, 0 }), OutputScaleTensor = scales({ 1 }, { 0.0625 }),
        OutputZeroPointTensor = signed({ 1 }, { -100 }),
        OutputTensor = signed({ 1, 4, 2 }, { -100, -100, -100, -128, -128, -128, -28, 20 }) }),
    },
  }
end

return { convolution, define("CONVOLUTION_INTEGER", integer), define("QUANTIZED_LINEAR_CONVOLUTION", quantised) }
