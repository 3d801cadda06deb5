-- Poolings: each element of the output is computed from the elements of the input in a window. Elements in the padding
-- take no part.

local X, Y, I = "InputTensor", "OutputTensor", "OutputIndicesTensor"
local D = dims(X)
local window, strides, start, last = list "WindowSize", list "Strides", list "StartPadding", list "EndPadding"
local x = element(X)

-- Returns the lists that rules and folds need. `tensor`: what windows move over.
local function parts_of(dilated, tensor)
  local gaps, input = dilated and list "Dilations" or 1, slice(sizes(tensor or X), 2, dims(tensor or X))
  return { gaps = gaps, extent = (window - 1) * gaps + 1, input = input, padded = input + start + last }
end

local function joined(first, second)
  for _, one in ipairs(second) do first[#first + 1] = one end
  return first
end

-- Returns the rules of windows, and more. `options`: `input` and `output`, the tensor that windows move over and the
-- one with an element for each window; `fits` and `sizes`, the strengths of the rules of the window and of the sizes.
local function pooling_rules(page, dilated, more, options)
  options = options or {}
  local A, B = options.input or X, options.output or Y
  local P, output = parts_of(dilated, A), slice(sizes(B), 2, dims(B))
  local down, up = (P.padded - P.extent) // strides + 1, ceil_div(P.padded - P.extent, strides) + 1
  local gaps = dilated and least(P.gaps, 0x80000000) or 1 -- the product may be beyond 64 bits
  local reaches = at_most((window - 1) * gaps, P.padded)
  local found = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "window" { at_least(window, 1), page = page, ruling = "W1" },
    windows { input = A, output = B, window = window, dilations = dilated and "open", rounding = "either",
      arrays = { "WindowSize" }, fits = { reaches, strength = options.fits }, sizes = options.sizes, page = page,
      rulings = { "W1", "W2", "W3" } },
    rule "batch" { equal(size(B, 0), size(A, 0)), page = page },
    rule "channels" { equal(size(B, 1), size(A, 1)), page = page },
    rule "output-sizes-floor" { strength = "open", page = page, ruling = "W4", text = "sizes are rounded down",
      when(all_of(at_most(P.extent, P.padded), between(output, down, up)), equal(output, down)) },
    rule "window-touches-input" { strength = "open", ruling = "W4", text = "paddings are smaller than the window",
      when(at_least(window, 1), below(start, P.extent), below(last, P.extent)) },
  }
  return joined(found, more)
end

-- Windows that overlap, are apart, have gaps, or reach into the padding. `tensor`: what they move over.
local function window_situations(tensor, dilated)
  local function final(of) return entry(of, -1) end
  local found = {
    shape_situations(tensor),
    situation "overlapping" { text = "windows overlap in two dimensions", at_least(entry(window, -2), 3),
      at_least(final(window), 3), each(strides, 1, 2), at_least(size(tensor, -1), 7) },
    situation "apart" { text = "elements lie between the windows", at_most(final(window), 2),
      at_least(final(strides), 3), at_least(size(tensor, -1), 7) },
    situation "start-padding" { text = "windows begin in the padding alone", at_least(final(window), 2),
      at_least(final(start), 1), equal(final(last), 0) },
    situation "end-padding" { text = "windows end in the padding alone", at_least(final(window), 2),
      at_least(final(last), 1), equal(final(start), 0) },
    situation "one-element-windows" { text = "windows have one element", each(window, 1, 1) },
    situation "whole" { text = "one window covers each plane", at_least(size(tensor, -1), 3), each(start, 0, 0),
      each(last, 0, 0), equal(window, slice(sizes(tensor), 2, dims(tensor))) },
    situation "three-dimensions" { text = "there are three spatial dimensions with windows of their own",
      at_least(attr "DimensionCount", 3), at_least(entry(window, 0), 2), at_least(entry(strides, 1), 2) },
    situation "columns-past-32" { text = "windows have more than 32 columns, and there are several of them in a row",
      at_least(final(window), 33), at_least(size(tensor, -1), 71), at_most(final(strides), 3) },
    situation "rows-past-32" { text = "windows have more than 32 rows, and there are several of them in a column",
      at_least(entry(window, -2), 33), at_least(size(tensor, -2), 71), at_most(entry(strides, -2), 3) },
  }
  if dilated then
    found[#found + 1] = situation "gaps" { text = "windows have gaps and overlap", at_least(final(list "Dilations"), 2),
      at_least(final(window), 2), equal(final(strides), 1) }
  end
  return found
end

local function same_types(page) return rule "same-type" { same "DataType", page = page } end

-- Folds the elements of the window of an element of `out`.
local function pooled(dilated, fold, formula, out)
  local P = parts_of(dilated)
  local spatial = slice(place(out), 2, D) * strides + step(window) * P.gaps - start
  return over { sizes = window, fold = fold, at = { [X] = concat(prefix(place(out), 2), spatial) }, formula }
end

local function open(id, text, ruling, when, gives, of)
  return behaviour(id) { text = text, strength = "open", ruling = ruling, when = when, gives = gives or "anything",
    of = of }
end

local function denormals()
  return behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" }
end

-- Makes an example over two spatial dimensions.
local function square(id, dilated, fields)
  fields.DimensionCount, fields.WindowSize = 2, fields.WindowSize or { 2, 2 }
  fields.Strides = fields.Strides or { 1, 1 }
  fields.StartPadding, fields.EndPadding = fields.StartPadding or { 0, 0 }, fields.EndPadding or { 0, 0 }
  if dilated then fields.Dilations = fields.Dilations or { 1, 1 } end
  if not fields.page then fields.ruling = fields.ruling or "E12" end
  return example(id) (fields)
end

local function floats(sizes, values) return { "FLOAT32", sizes, values } end
local nine, four = floats({ 1, 1, 3, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }), floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 })

local five = floats({ 1, 1, 1, 5 }, { 1, 2, 3, 4, 5 }) -- with a last window that goes past it

-- ---- situations

local across, apart = entry(window, -1), entry(strides, -1) -- of the last dimension
local unpadded = { each(start, 0, 0), each(last, 0, 0) }

-- Returns the condition that the last dimension has one window more than fit into the padded input.
local function goes_past(dilated)
  local P = parts_of(dilated)
  return at_least(size(Y, -1), (entry(P.padded, -1) - entry(P.extent, -1)) // apart + 2)
end

local function pooling_situations(dilated, more)
  local columns = size(X, -1)
  return {
    shape_situations(X), number_situations(X),
    sliding_situations { windows = window, strides = strides, dilations = dilated and list "Dilations" or 1,
      before = start, after = last, image = slice(sizes(X), 2, D), count = attr "DimensionCount" },
    situation "rounded-down" { text = "the last column is in no window", unpadded, one_of(columns, { 5, 7, 9 }),
      equal(across, 2), equal(apart, 2), equal(size(Y, -1), columns // 2) },
    situation "overhang" { text = "the last window goes past the padded input", goes_past(dilated) },
    situation "planes" { text = "several batches and channels have several windows", at_least(size(X, 0), 2),
      at_least(size(X, 1), 3), at_least(columns, 5), equal(across, 2) },
    situation "channels-past-tile" { text = "there are more than 64 channels, a prime number", equal(size(X, 1), 67),
      at_least(columns, 3), equal(across, 2) },
    situation "zeros" { text = "all elements are 0, of either sign", fill = "zero", at_least(across, 2) },
    situation "padding-beside-least" { text = "all elements are below 0 or the least, and windows reach into the padding",
      fill = "far-below", at_least(start, 1), at_least(across, 3) },
    more,
  }
end

-- ---- MAX_POOLING, MAX_POOLING1, MAX_POOLING2

-- The row-major number, in the whole input, of the first greatest element: a loop over the whole input, in which only
-- those steps take part that a division leads from to a place in the window.
local function numbered(dilated, signed)
  local P, at, from = parts_of(dilated), place(I), step(sizes(X))
  local inside = divided(from - concat(prefix(at, 2), slice(at, 2, D) * strides - start),
    concat(1, 1, filled(1, D - 2) * P.gaps), concat(1, 1, window))
  return over { sizes = sizes(X), fold = "place_of_max", signed_zeros = signed, at = { [X] = from + 0 * inside }, x }
end

local function index_behaviours(page, index, dilated)
  local signed = numbered(dilated, true)
  return {
    behaviour "index" { ruling = "W7", page = page,
      text = "each index is the row-major number, in the whole input, of the first greatest element" },
    open("index-nan", "with NaNs, any index is right", "W6", gt(part(index, "nans"), 0), nil, I),
    open("index-padding", "the index of a window of padding alone may be any number", "W5",
      eq(part(index, "count"), 0), nil, I),
    open("index-zeros", "-0 and +0 are equal", "W6", ne(index, signed), { { "signed", signed } }, I),
  }
end

local function maximum_situations(indices)
  local found = {
    situation "special" { text = "elements are the extremes of their type, NaNs and infinities", fill = "special",
      at_least(across, 3) },
    situation "infinite" { text = "windows of minus infinities, or the least, reach into the padding", fill = "masked-out",
      at_least(start, 1), at_least(across, 2) },
    situation "ends" { text = "all elements are one infinity, or one end of the integers", fill = "least greatest",
      at_least(across, 2), at_least(size(X, -1), 5) },
    situation "distinct" { text = "no two elements are equal", fill = "distinct", at_least(across, 2), at_least(size(X, -1), 5) },
  }
  local function indexed(id, text, more)
    more.text, more[#more + 1] = text, present(I)
    found[#found + 1] = situation(id)(more)
  end
  if not indices then return found end
  indexed("index-ties", "all elements of a window are equal", { fill = "constant zero one", at_least(across, 3) })
  indexed("index-planes", "indices count the elements of several batches and channels", { at_least(size(X, 0), 2),
    at_least(size(X, 1), 3) })
  indexed("index-padding", "indices do not count the padding", { at_least(start, 1), at_least(across, 3) })
  indexed("index-past-16-bits", "indices pass 16 bits", { at_least(size(X, -1), 65600), at_least(across, 2),
    at_least(apart, 600) })
  indexed("index-gaps", "indices do not count the gaps between rows of the input", { at_least(size(X, -2), 3),
    at_least(size(X, -1), 3), strides = { [X] = "padded" } })
  indexed("index-permuted", "the input and its indices have orders of their own in memory", { at_least(size(X, -2), 5),
    at_least(size(X, -1), 5), strides = { [X] = "permuted", [I] = "permuted" } })
  indexed("index-padded", "indices have gaps between them", { at_least(size(X, -1), 5), strides = { [I] = "padded" } })
  found[#found + 1] = situation "index-absent" { text = "indices are not written", absent(I), at_least(size(X, -1), 5) }
  return found
end

local function maximum(name, dilated, indices)
  local page = "DML_" .. name
  local top, index = pooled(dilated, "max", x, Y), indices and numbered(dilated)
  local behaviours = {
    behaviour "maximum" { text = "each element is the greatest of its window; padding never is", page = page },
    open("nan", "with NaNs, the greatest is a NaN or that of the others", "W6", gt(part(top, "nans"), 0),
      { { "propagated", nan } }, Y),
    open("nan-alone", "the greatest of NaNs alone may be a start value", "W6",
      both(gt(part(top, "nans"), 0), eq(part(top, "nans"), part(top, "count"))),
      { { "lowest", lowest }, { "infinity", -inf } }, Y),
    open("padding-alone", "a window of padding alone may give any value", "W5", eq(part(top, "count"), 0), nil, Y),
    denormals(),
  }
  local function example_of(id, fields, numbers)
    if indices then fields.OutputIndicesTensor = { "UINT32", fields.OutputTensor[2], numbers } end
    return square(id, dilated, fields)
  end
  return operator(name) {
    groups = indices and { "data", "index" } or nil, situations = pooling_situations(dilated, maximum_situations(indices)),
    parameters = { { "d", D } },
    rules = pooling_rules(page, dilated, {
      same_types(page),
      indices and rule "indices-sizes" { when(present(I), equal(sizes(I), sizes(Y))), page = page } or nil,
    }, { fits = "soft" }),
    results = { result(Y) { top }, indices and result(I) { index } or nil },
    behaviours = indices and joined(behaviours, index_behaviours(page, index, dilated)) or behaviours,
    examples = {
      example_of("gradient", { page = "DML_MAX_POOLING_GRAD",
        InputTensor = floats({ 1, 1, 3, 3 }, { 1, 2, 3, 2, 4, 2, 5, 6, 7 }),
        OutputTensor = floats({ 1, 1, 2, 2 }, { 4, 4, 6, 7 }) }, { 4, 4, 7, 8 }),
      example_of("planes", { InputTensor = floats({ 1, 2, 2, 2 }, { 1, 1, 1, 1, 0, 5, 5, 2 }),
        OutputTensor = floats({ 1, 2, 1, 1 }, { 1, 5 }) }, { 0, 5 }),
      example_of("padded", { StartPadding = { 1, 0 }, EndPadding = { 0, 1 }, Strides = { 2, 2 },
        InputTensor = floats({ 1, 1, 3, 3 }, { -1, -2, -3, -4, -5, -6, -7, -8, -9 }),
        OutputTensor = floats({ 1, 1, 2, 2 }, { -1, -3, -4, -6 }) }, { 0, 2, 3, 5 }),
      example_of("padding-alone", { InputTensor = floats({ 1, 1, 1, 2 }, { 1, 2 }), WindowSize = { 1, 2 },
        StartPadding = { 0, 2 }, EndPadding = { 0, 2 }, -- of the first and the last window, any element is right
        OutputTensor = floats({ 1, 1, 1, 5 }, { -inf, 1, 2, 2, -inf }) }, { 0, 0, 1, 1, 0 }),
      example_of("rounded-up", { InputTensor = five, WindowSize = { 1, 2 }, Strides = { 1, 2 },
        OutputTensor = floats({ 1, 1, 1, 3 }, { 2, 4, 5 }) }, { 1, 3, 4 }),
    },
  }
end

-- ---- AVERAGE_POOLING, AVERAGE_POOLING1

-- The number of steps of a window in the padded input: each reads the first element.
local function padded_count(dilated)
  local P = parts_of(dilated)
  local inside = divided(slice(place(Y), 2, D) * strides + step(window) * P.gaps, filled(1, D - 2), P.padded)
  return part(over { sizes = window, fold = "sum", at = { [X] = concat(0, 0, 0 * inside) }, x }, "count")
end

-- Returns the number that divides a sum, and the behaviours of the windows for which it is open.
local function divisor(sum, dilated)
  local include, clipped = attribute "IncludePadding", padded_count(dilated)
  return choose(include, part(sum, "steps"), part(sum, "count")), {
    open("empty", "the average of a window of padding alone, without IncludePadding, may be any value", "W5",
      both(eq(part(sum, "count"), 0), eq(include, 0))),
  }, both(include, lt(clipped, part(sum, "steps"))), clipped
end

local text_of_overhang = "where a window goes past the padded input, elements beyond that may not count"

local function average_situations(dilated)
  local included, excluded = equal(attr "IncludePadding", 1), equal(attr "IncludePadding", 0)
  return {
    situation "padding-counts" { text = "the padding counts, and windows reach into it on both sides", included,
      at_least(start, 1), at_least(last, 1), at_least(across, 3) },
    situation "padding-does-not-count" { text = "the padding does not count, and windows reach into it on both sides",
      excluded, at_least(start, 1), at_least(last, 1), at_least(across, 3) },
    situation "overhang-counts" { text = "the padding counts, and the last window goes past the padded input", included,
      goes_past(dilated) },
    situation "window-past-256" { text = "windows have more than 256 columns", at_least(size(X, -1), 257),
      at_least(across, 257) },
    situation "ones-past-2048" { text = "more than 2048 ones are summed, where a FLOAT16 stalls", fill = "one",
      at_least(size(X, -1), 2053), at_least(across, 2051) },
    situation "large-sums" { text = "sums of large elements pass the range of a FLOAT16", fill = "far-above",
      at_least(across, 9) },
  }
end

local function average(name, dilated)
  local page = "DML_" .. name
  local sum = pooled(dilated, "sum", x, Y)
  local count, behaviours, overhangs, clipped = divisor(sum, dilated)
  local narrow, wide = roundings(sum)
  local once = abs(y) * 0x1p-22
  return operator(name) {
    parameters = { { "d", D } },
    rules = pooling_rules(page, dilated, { same_types(page) }),
    results = { result(Y) { sum / count, FLOAT32 = narrow / count + ulp(2),
      FLOAT16 = { soft = narrow / count + once + ulp(0.5), must = wide / count + ulp(2) } } },
    situations = pooling_situations(dilated, average_situations(dilated)), domains = { [X] = { -8, 8 } },
    behaviours = joined(behaviours, {
      behaviour "averages" { text = "each element is the average of its window", page = page },
      open("overhang", text_of_overhang, "W5", overhangs, { { "clipped", sum / clipped } }),
      denormals(), partial_overflow(sum),
    }),
    examples = {
      square("gradient", dilated, { page = "DML_AVERAGE_POOLING_GRAD", IncludePadding = false, InputTensor = nine,
        OutputTensor = floats({ 1, 1, 2, 2 }, { 3, 4, 6, 7 }) }),
      square("without", dilated, { IncludePadding = false, InputTensor = four, WindowSize = { 3, 3 },
        StartPadding = { 1, 1 }, EndPadding = { 1, 1 },
        OutputTensor = floats({ 1, 1, 2, 2 }, { 2.5, 2.5, 2.5, 2.5 }) }),
      square("with", dilated, { IncludePadding = true, InputTensor = four, WindowSize = { 3, 3 },
        StartPadding = { 1, 1 }, EndPadding = { 1, 1 },
        OutputTensor = floats({ 1, 1, 2, 2 }, { 10 / 9, 10 / 9, 10 / 9, 10 / 9 }) }),
      square("rounded-up", dilated, { IncludePadding = false, InputTensor = five, WindowSize = { 1, 2 },
        Strides = { 1, 2 }, OutputTensor = floats({ 1, 1, 1, 3 }, { 1.5, 3.5, 5 }) }),
      square("padding-alone", dilated, { IncludePadding = true, InputTensor = floats({ 1, 1, 1, 2 }, { 1, 2 }),
        WindowSize = { 1, 2 }, StartPadding = { 0, 2 }, EndPadding = { 0, 2 },
        OutputTensor = floats({ 1, 1, 1, 5 }, { 0, 0.5, 1.5, 1, 0 }) }),
      dilated and square("gaps", dilated, { IncludePadding = false, InputTensor = nine, Dilations = { 2, 2 },
        OutputTensor = floats({ 1, 1, 1, 1 }, { 5 }) }) or nil,
    },
  }
end

-- ---- QUANTIZED_LINEAR_AVERAGE_POOLING

-- Makes the rules of scales and zero points: they have one element, or one for each channel.
local function channel_rules(page, ...)
  local counts, vectors = { page = page, ruling = "W10" }, { strength = "open", ruling = "W10" }
  for _, name in ipairs { ... } do
    local rank = dims(name)
    local channel = rank - D + 1
    local reaches = all_of(present(name), at_least(rank, D - 1))
    local line = all_of(present(name), equal(rank, 1))
    counts[#counts + 1] = when(reaches, member(size(name, channel), concat(1, size(X, 1))))
    counts[#counts + 1] = when(reaches, each(replace(sizes(name), channel, 1), 1, 1))
    counts[#counts + 1] = when(all_of(present(name), between(rank, 2, D - 2)), each(sizes(name), 1, 1))
    counts[#counts + 1] = when(line, member(size(name, 0), concat(1, size(X, 1))))
    vectors[#vectors + 1] = when(all_of(line, at_least(size(X, 1), 2)), below(elements(name), size(X, 1)))
  end
  counts.text = "scales and zero points must have one element, or one for each channel"
  vectors.text = "scales and zero points of one dimension have one element"
  return { rule "parameters" (counts), rule "parameters-vectors" (vectors) }
end

local function quantised_average()
  local page = "DML_QUANTIZED_LINEAR_AVERAGE_POOLING"
  local names = { "InputScaleTensor", "InputZeroPointTensor", "OutputScaleTensor", "OutputZeroPointTensor" }
  local scale, zero = element(names[1]), element(names[2])
  local sum = pooled(true, "sum", x - zero, Y)
  local count, behaviours, overhangs, clipped = divisor(sum, true)
  local factor = named(scale / element(names[3]), "InputScale / OutputScale")
  -- a device may add dequantised elements, which are rounded
  local largest_part = abs(part(sum, "magnitude") * factor)
  local function quantised(total, divided_by)
    local near = max(0x1p-20, part(sum, "count") * 0x1p-24) * max(1, largest_part / divided_by)
    return saturate(round_even(within(total * factor / divided_by, near)) + element(names[4]))
  end
  local padding = part(sum, "steps") - part(sum, "count")
  local function scale_is(condition) return either(condition(scale), condition(element(names[3]))) end
  local function of_channels(id, kinds, text)
    local fields = { text = text, at_least(size(X, 1), 2) }
    for _, name in ipairs(names) do
      fields[#fields + 1] = at_least(dims(name), D - 1)
      fields[#fields + 1] = equal(size(name, dims(name) - D + 1), size(X, 1))
    end
    if kinds then
      fields.strides = {}
      for i, kind in ipairs(kinds) do fields.strides[names[i]] = kind end
    end
    return situation(id) (fields)
  end
  local function bytes(sizes, values) return { "UINT8", sizes, values } end
  local function example_of(id, fields)
    local all = { IncludePadding = false, InputTensor = bytes({ 1, 1, 1, 2 }, { 10, 13 }), WindowSize = { 1, 2 },
      InputScaleTensor = floats({ 1, 1, 1, 1 }, { 0.5 }), InputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 8 }),
      OutputScaleTensor = floats({ 1, 1, 1, 1 }, { 0.25 }), OutputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 100 }) }
    for key, one in pairs(fields) do all[key] = one end
    return square(id, true, all)
  end
  return operator "QUANTIZED_LINEAR_AVERAGE_POOLING" {
    parameters = { { "d", D } },
    situations = { window_situations(X, true), of_channels("channels", nil, "every channel has parameters of its own"),
      of_channels("parameters-apart", { "padded", "padded", "padded", "padded" },
        "the parameters of channels have gaps between them"),
      of_channels("scales-repeated", { "broadcast", "padded", "broadcast", "padded" },
        "all channels have the same scales, by strides of 0, and zero points of their own"),
      of_channels("input-zero-repeated", { "padded", "broadcast", "padded", "padded" },
        "all channels have the same zero point of the input, by a stride of 0"),
      of_channels("output-zero-repeated", { "padded", "padded", "padded", "broadcast" },
        "all channels have the same zero point of the output, by a stride of 0"),
      situation "zero-points-absent" { text = "there are no zero points", absent(names[2]), absent(names[4]) } },
    rules = pooling_rules(page, true, joined({ same_types(page) }, channel_rules(page, table.unpack(names)))),
    domains = { [names[1]] = { 0.03125, 8 }, [names[3]] = { 0.25, 64 } },
    results = { result(Y) { quantised(sum, count) } },
    behaviours = joined(behaviours, {
      behaviour "averages" { page = page, ruling = "E26, W10",
        text = "each element is the average of InputScale * (element - zero point) in its window / OutputScale, " ..
          "rounded with halves to even, plus the zero point, clamped" },
      behaviour "padding" { strength = "soft", ruling = "W11",
        text = "padding that counts is the zero point of the input, not the integer 0",
        when = both(attribute "IncludePadding", both(gt(padding, 0), ne(zero, 0))),
        gives = { { "zero", quantised(sum - padding * zero, count) } } },
      open("overhang", text_of_overhang, "W5", overhangs, { { "clipped", quantised(sum, clipped) } }),
      open("zero-scale", "a scale of 0 or below, or one that is not finite, gives any value", "P11",
        scale_is(function(one) return negated(both(gt(one, 0), lt(one, inf))) end)),
      open("range", "where products of scales may be beyond FLOAT32 or below its normal numbers, any value is right",
        "S3", either(gt(max(largest_part, part(sum, "magnitude") * scale), 0x1p127),
          lt(min(scale, min(factor, 1 / element(names[3]))), 0x1p-100))),
    }),
    examples = {
      example_of("card", { OutputTensor = bytes({ 1, 1, 1, 1 }, { 107 }) }),
      example_of("padded", { WindowSize = { 1, 4 }, EndPadding = { 0, 2 }, IncludePadding = true,
        OutputTensor = bytes({ 1, 1, 1, 1 }, { 104 }) }),
      example_of("channels", { InputTensor = bytes({ 1, 2, 1, 3 }, { 10, 13, 20, 10, 13, 20 }),
        InputScaleTensor = floats({ 1, 2, 1, 1 }, { 0.5, 1 }),
        InputZeroPointTensor = bytes({ 2, 1, 1 }, { 8, 10 }),
        OutputScaleTensor = floats({ 1, 1, 2, 1, 1 }, { 0.25, 0.5 }), OutputZeroPointTensor = bytes({ 1 }, { 100 }),
        OutputTensor = bytes({ 1, 2, 1, 2 }, { 107, 117, 103, 113 }) }),
      square("ties", true, { IncludePadding = false, InputTensor = { "INT8", { 1, 1, 1, 4 }, { -3, 2, 1, 4 } },
        WindowSize = { 1, 2 }, Strides = { 1, 2 }, InputScaleTensor = floats({ 1 }, { 1 }),
        OutputScaleTensor = floats({ 1 }, { 1 }), OutputTensor = { "INT8", { 1, 1, 1, 2 }, { 0, 2 } } }),
      example_of("gaps", { InputTensor = bytes({ 1, 1, 3, 3 }, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }), WindowSize = { 2, 2 },
        Dilations = { 2, 2 }, InputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 0 }),
        OutputTensor = bytes({ 1, 1, 1, 1 }, { 110 }) }),
      example_of("rounded-up", { InputTensor = bytes({ 1, 1, 1, 5 }, { 1, 2, 3, 4, 5 }), Strides = { 1, 2 },
        InputZeroPointTensor = bytes({ 1, 1, 1, 1 }, { 0 }), OutputTensor = bytes({ 1, 1, 1, 3 }, { 103, 107, 110 }) }),
    },
  }
end

-- ---- LP_POOLING, LP_POOLING1

local function lp_situations()
  local power = attr "P"
  return {
    situation "power-one" { text = "P is 1", equal(power, 1), at_least(across, 3) },
    situation "power-two" { text = "P is 2", equal(power, 2), at_least(across, 3) },
    situation "power-three" { text = "P is 3, and elements have both signs", equal(power, 3), at_least(across, 3) },
    situation "power-large" { text = "P is 16", equal(power, 16), at_least(across, 3) },
    situation "roots-of-zeros" { text = "P is 3, and all elements are 0", equal(power, 3), fill = "zero", at_least(across, 2) },
    situation "powers-beyond" { text = "squares pass the range of a FLOAT16, roots do not", equal(power, 2),
      fill = "far-above", at_least(across, 3) },
    situation "powers-vanish" { text = "powers of elements near 1/1000 are below the normal FLOAT16s", equal(power, 4),
      fill = "small", at_least(across, 3) },
    situation "padding-adds-nothing" { text = "windows reach into the padding on both sides", at_least(start, 1),
      at_least(last, 1), at_least(across, 3), equal(power, 2) },
    situation "window-past-256" { text = "windows have more than 256 columns", at_least(size(X, -1), 257),
      at_least(across, 257) },
  }
end

local function lp(name, dilated)
  local page, P = "DML_" .. name, attribute "P"
  local function by_power(one, two, more) return choose(eq(P, 1), one, choose(eq(P, 2), two, more)) end
  local term = by_power(abs(x), x * x, pow(abs(x), P))
  local sum = pooled(dilated, "sum", term, Y)
  local signed = pooled(dilated, "sum", x * pow(abs(x), P - 1), Y)
  local function root(s) return by_power(s, sqrt(s), pow(s, 1 / P)) end
  local narrow, wide = roundings(sum)
  local n = part(sum, "count")
  -- a power is computed by a logarithm and an exponential
  local function of_root(sum_error, u_)
    return choose(eq(P, 1), sum_error, abs(y) * u_ * choose(eq(P, 2), n + 2, n + 256))
  end
  local single, half = of_root(narrow, 0x1p-24), of_root(wide, 0x1p-11)
  -- Errors of the functions in FLOAT32 come on top: that of each power, and that of the root.
  local limits = function_limits(0x1p-24)
  local of_powers = pooled(dilated, "sum", term * limits.pow(abs(x), P), Y) / max(sum, smallest_normal) / P
  local functions = abs(y) * 0x1p-23 * by_power(0, limits.sqrt, of_powers + limits.pow(sum, 1 / P))
  local rounded = single + choose(eq(P, 1), 0, ulp(1))
  local odd = ne(P / 2, floor(P / 2))
  -- powers beyond the type, or so small that flushed ones count
  local beyond = either(gt(part(sum, "peak"), largest), both(gt(part(sum, "peak"), 0),
    lt(part(sum, "peak"), smallest_normal * 0x1p24 * n)))
  return operator(name) {
    parameters = { { "d", D } },
    rules = pooling_rules(page, dilated, { same_types(page),
      rule "p" { at_least(attr "P", 1), strength = "soft", ruling = "W9" } }),
    results = { result(Y) { root(sum),
      FLOAT32 = { soft = rounded, must = rounded + functions },
      FLOAT16 = { soft = single + ulp(0.5), must = half + ulp(1) } } },
    situations = pooling_situations(dilated, lp_situations()), domains = { [X] = { -8, 8 } },
    behaviours = {
      behaviour "norms" { text = "each element is the P-th root of the sum of the absolute values of its window to " ..
        "the power of P", page = page, ruling = "W8" },
      behaviour "absolute" { text = "negative elements are taken without their sign", strength = "soft", ruling = "W8",
        when = both(odd, ne(sum, signed)), gives = { { "signed", root(signed) } } },
      open("zero-power", "a P of 0 gives any value", "W9", eq(P, 0)),
      open("range", "where powers may be beyond the type or below its normal numbers, any result is right", "S3",
        both(gt(P, 1), both(beyond, eq(part(sum, "infinities") + part(sum, "nans"), 0)))),
      denormals(), partial_overflow(sum),
    },
    examples = {
      square("one", dilated, { P = 1, InputTensor = floats({ 1, 1, 1, 4 }, { -1, 2, -3, 4 }), WindowSize = { 1, 2 },
        Strides = { 1, 2 }, OutputTensor = floats({ 1, 1, 1, 2 }, { 3, 7 }) }),
      square("two", dilated, { P = 2, InputTensor = floats({ 1, 1, 1, 4 }, { 3, -4, 5, -12 }), WindowSize = { 1, 2 },
        Strides = { 1, 2 }, OutputTensor = floats({ 1, 1, 1, 2 }, { 5, 13 }) }),
      square("three", dilated, { P = 3, InputTensor = floats({ 1, 1, 1, 3 }, { 3, 4, 5 }), WindowSize = { 1, 3 },
        OutputTensor = floats({ 1, 1, 1, 1 }, { 6 }) }),
      square("padding-alone", dilated, { P = 1, InputTensor = floats({ 1, 1, 1, 2 }, { 1, -2 }), WindowSize = { 1, 2 },
        StartPadding = { 0, 2 }, EndPadding = { 0, 2 }, OutputTensor = floats({ 1, 1, 1, 5 }, { 0, 1, 3, 2, 0 }) }),
      square("rounded-up", dilated, { P = 2, InputTensor = five, WindowSize = { 1, 2 }, Strides = { 1, 3 },
        OutputTensor = floats({ 1, 1, 1, 2 }, { 5 ^ 0.5, 41 ^ 0.5 }) }),
    },
  }
end

-- ---- AVERAGE_POOLING_GRAD

local dX, dY = "OutputGradientTensor", "InputGradientTensor"
local gradients = { input = dX, output = dY, sizes = "soft" }

-- Returns the coordinates of the window whose element number `t` is the element of OutputGradientTensor. A step takes
-- no part if there is none.
local function window_over(P, t)
  local at = place(dX)
  local windows_of = divided(slice(at, 2, dims(dX)) + start - t * P.gaps, strides, slice(sizes(dY), 2, dims(dY)))
  return concat(prefix(at, 2), windows_of)
end

-- Makes a stage with the share that an element of a window gets of its gradient. The window's elements that count are
-- those from 0 to below `past`, if coordinates begin at `from`.
local function shares(name, from, past, divisor_of)
  local at = place(name)
  local inside = divided(slice(at, 2, dims(dY)) * strides + step(window) - from, filled(1, dims(dY) - 2), past)
  local counted = over { sizes = window, fold = "sum", at = { [dY] = concat(0, 0, 0 * inside) }, element(dY) }
  return stage(name) { sizes = sizes(dY), element(dY) / divisor_of(counted) }
end

-- The sum, over all windows that have the element, of their shares.
local function sum_of_shares(name, P)
  return over { sizes = window, fold = "sum", at = { [name] = window_over(P, step(window)) }, element(name) }
end

local function average_gradient()
  local page, include = "DML_AVERAGE_POOLING_GRAD", attribute "IncludePadding"
  local P = parts_of(false, dX)
  local sum, clipped = sum_of_shares("shares", P), sum_of_shares("clipped", P)
  local narrow, wide = roundings(sum, 1)
  local division = part(sum, "magnitude") * 0x1p-23
  local once = choose(either(narrow, division), ulp(0.5), 0)
  local function example_of(id, fields)
    if fields.IncludePadding == nil then fields.IncludePadding = false end
    return square(id, false, fields)
  end
  return operator "AVERAGE_POOLING_GRAD" {
    parameters = { { "d", dims(dY) } },
    situations = { window_situations(dX) },
    rules = pooling_rules(page, false, { same_types(page) }, gradients),
    stages = {
      shares("shares", start, P.input, function(counted)
        return choose(include, part(counted, "steps"), part(counted, "count"))
      end),
      shares("clipped", 0, P.padded, function(counted) return part(counted, "count") end),
    },
    results = { result(dX) { sum, FLOAT32 = narrow + division,
      FLOAT16 = { soft = narrow + division + once, must = wide + part(sum, "magnitude") * 0x1p-10 + once } } },
    domains = { [dY] = { -8, 8 } },
    behaviours = {
      behaviour "spreads" { page = page, text = "each element is the sum of its shares: every window that has the " ..
        "element gives it the gradient, divided as AVERAGE_POOLING divides; without a window it is 0" },
      open("overhang", text_of_overhang, "W5", both(include, ne(sum, clipped)), { { "clipped", clipped } }),
      denormals(), partial_overflow(sum),
    },
    examples = {
      example_of("page", { page = page, InputGradientTensor = four, OutputGradientTensor =
        floats({ 1, 1, 3, 3 }, { 0.25, 0.75, 0.5, 1, 2.5, 1.5, 0.75, 1.75, 1 }) }),
      example_of("without", { InputGradientTensor = four, WindowSize = { 3, 3 }, StartPadding = { 1, 1 },
        EndPadding = { 1, 1 }, OutputGradientTensor = floats({ 1, 1, 2, 2 }, { 2.5, 2.5, 2.5, 2.5 }) }),
      example_of("with", { InputGradientTensor = four, WindowSize = { 3, 3 }, StartPadding = { 1, 1 },
        EndPadding = { 1, 1 }, IncludePadding = true,
        OutputGradientTensor = floats({ 1, 1, 2, 2 }, { 10 / 9, 10 / 9, 10 / 9, 10 / 9 }) }),
      example_of("overlapping", { InputGradientTensor = floats({ 1, 1, 1, 3 }, { 6, 6, 12 }), WindowSize = { 1, 3 },
        StartPadding = { 0, 1 }, EndPadding = { 0, 1 },
        OutputGradientTensor = floats({ 1, 1, 1, 3 }, { 5, 11, 8 }) }),
      example_of("apart", { InputGradientTensor = floats({ 1, 1, 1, 3 }, { 1, 2, 3 }), WindowSize = { 1, 1 },
        Strides = { 1, 2 }, OutputGradientTensor = floats({ 1, 1, 1, 5 }, { 1, 0, 2, 0, 3 }) }),
      example_of("rounded-up", { InputGradientTensor = floats({ 1, 1, 1, 3 }, { 2, 4, 6 }), WindowSize = { 1, 2 },
        Strides = { 1, 2 }, OutputGradientTensor = floats({ 1, 1, 1, 5 }, { 1, 1, 2, 2, 6 }) }),
    },
  }
end

-- ---- MAX_POOLING_GRAD

-- Makes a stage with a part of the maximum of each window.
local function of_windows(name, P, fold, the_part, signed)
  local at = place(name)
  local spatial = slice(at, 2, dims(X)) * strides + step(window) * P.gaps - start
  local top = over { sizes = window, fold = fold, signed_zeros = signed, x,
    at = { [X] = concat(prefix(at, 2), spatial) } }
  return stage(name) { sizes = sizes(dY), the_part and part(top, the_part) or top }
end

-- The sum, over all windows that have the element, of a formula of stages and of the number of the element in a window.
local function over_windows(P, names, formula)
  local back, at = window_over(P, step(window)), { numbers = step(window) }
  for _, name in ipairs(names) do at[name] = back end
  return over { sizes = window, fold = "sum", at = at, formula }
end

local function max_gradient()
  local page = "DML_MAX_POOLING_GRAD"
  local P = parts_of(true, X)
  local function is_from(winners) return eq(element(winners), element "numbers") end
  local function gradients_from(winners)
    return over_windows(P, { dY, winners }, choose(is_from(winners), element(dY), 0))
  end
  local sum, signed = gradients_from "winners", gradients_from "signed"
  local additions = max(over_windows(P, { "winners" }, is_from "winners") - 1, 0)
  local function rounded_in(bits)
    local n = additions * 2.0 ^ -bits
    return choose(inexact(sum, bits), n / (1 - n) * part(sum, "magnitude"), 0)
  end
  local once = choose(inexact(sum, 24), ulp(0.5), 0)
  local function row(id, input, gradient, output, fields)
    fields.InputTensor = floats({ 1, 1, 1, #input }, input)
    fields.InputGradientTensor = floats({ 1, 1, 1, #gradient }, gradient)
    fields.OutputGradientTensor = floats({ 1, 1, 1, #output }, output)
    fields.WindowSize = fields.WindowSize or { 1, 2 }
    return square(id, true, fields)
  end
  return operator "MAX_POOLING_GRAD" {
    parameters = { { "d", dims(X) } },
    situations = { window_situations(X, true),
      situation "ties" { text = "elements of overlapping windows are equal", fill = "units constant",
        at_least(entry(window, -1), 3), equal(entry(strides, -1), 1), at_least(size(X, -1), 7) },
      situation "ends" { text = "all elements are one infinity", fill = "least greatest",
        at_least(entry(window, -1), 3), equal(entry(strides, -1), 1), at_least(size(X, -1), 7) },
      situation "ties-down" { text = "elements of the rows of a window are equal", fill = "units",
        at_least(entry(window, -2), 3), equal(entry(strides, -2), 1), at_least(size(X, -2), 7) } },
    rules = pooling_rules(page, true, { same_types(page),
      rule "same-sizes" { same "Sizes", page = page },
    }, { output = dY, sizes = "soft", fits = "soft" }),
    stages = {
      stage "numbers" { sizes = window, number },
      of_windows("winners", P, "place_of_max"), of_windows("signed", P, "place_of_max", nil, true),
      of_windows("nans", P, "max", "nans"), of_windows("counts", P, "max", "count"),
      stage "empty" { sizes = concat(1),
        over { sizes = sizes(dY), fold = "sum", at = { counts = step(sizes(dY)) }, eq(element "counts", 0) } },
    },
    results = { result(dX) { sum, FLOAT32 = rounded_in(24),
      FLOAT16 = { soft = rounded_in(24) + once, must = rounded_in(11) + once } } },
    domains = { [dY] = { -8, 8 } },
    behaviours = {
      behaviour "passes" { page = page, ruling = "W6", text = "every window passes its gradient to its greatest " ..
        "element, of equal ones to the first; an element gets the sum, all others get 0" },
      open("nan", "a window with a NaN may pass its gradient to any of its elements", "W6",
        gt(over_windows(P, { "nans" }, element "nans"), 0)),
      open("padding-alone", "the gradient of a window of padding alone may go to any element", "W5",
        gt(element "empty", 0)),
      open("zeros", "-0 and +0 are equal", "W6", ne(sum, signed), { { "signed", signed } }),
      denormals(), partial_overflow(sum),
    },
    examples = {
      square("page", true, { page = page, InputTensor = floats({ 1, 1, 3, 3 }, { 1, 2, 3, 2, 4, 2, 5, 6, 7 }),
        InputGradientTensor = floats({ 1, 1, 2, 2 }, { 1, 2, 4, 5 }),
        OutputGradientTensor = floats({ 1, 1, 3, 3 }, { 0, 0, 0, 0, 3, 0, 0, 4, 5 }) }),
      row("ties", { 2, 2, 2, 2 }, { 1, 2, 4 }, { 1, 2, 4, 0 }, {}),
      row("overlapping", { 1, 3, 2, 3, 0 }, { 1, 2, 4 }, { 0, 3, 0, 4, 0 }, { WindowSize = { 1, 3 } }),
      row("padded", { -1, -2, -3 }, { 1, 2, 4, 8 }, { 3, 4, 8 }, { StartPadding = { 0, 1 }, EndPadding = { 0, 1 } }),
      row("gaps", { 5, 1, 2, 6, 3 }, { 1, 2, 4 }, { 1, 0, 0, 2, 4 }, { Dilations = { 1, 2 } }),
      row("rounded-up", { 1, 2, 3, 4, 5 }, { 1, 2, 4 }, { 0, 1, 0, 2, 4 }, { Strides = { 1, 2 } }),
      square("planes", true, { InputTensor = floats({ 1, 2, 2, 2 }, { 1, 1, 1, 1, 0, 5, 5, 2 }),
        InputGradientTensor = floats({ 1, 2, 1, 1 }, { 3, 4 }),
        OutputGradientTensor = floats({ 1, 2, 2, 2 }, { 3, 0, 0, 0, 0, 4, 0, 0 }) }),
    },
  }
end

return {
  define("MAX_POOLING", maximum, false, false), define("MAX_POOLING1", maximum, false, true),
  define("MAX_POOLING2", maximum, true, true),
  define("AVERAGE_POOLING", average, false), define("AVERAGE_POOLING1", average, true),
  define("QUANTIZED_LINEAR_AVERAGE_POOLING", quantised_average),
  define("LP_POOLING", lp, false), define("LP_POOLING1", lp, true),
  define("AVERAGE_POOLING_GRAD", average_gradient), define("MAX_POOLING_GRAD", max_gradient),
}
