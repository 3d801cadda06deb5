-- Operators that move elements: an element of an output is a copy of an element of an input, or a fill value.

local float16, uint32, uint16, uint8, int32, int16, int8, uint64, int64 = 2, 3, 4, 5, 6, 7, 8, 10, 11
local In, Out, D = "InputTensor", "OutputTensor", attr "DimensionCount"

local function ones_to(n)
  local values = {}
  for i = 1, n do values[i] = i end
  return values
end

local function given(...)
  local conditions = {}
  for i, name in ipairs { ... } do conditions[i] = present(name) end
  return rule "arrays-given" { conditions, strength = "soft", ruling = "B10",
    text = "no array may be a null pointer" }
end

local function agreement(page)
  return { rule "same-dims" { same "DimensionCount", page = page }, rule "same-type" { same "DataType", page = page } }
end

local function counted(page)
  return { agreement(page), rule "dimension-count" { equal(D, dims(In)), page = page } }
end

-- ---- parts of a tensor

local function slice_()
  local page, sizes_of, steps = "DML_SLICE", list "Sizes", list "Strides"
  local last = sizes(Out) - 1
  local function example_of(id, offsets, extents, strides, values)
    return example(id) { page = page, DimensionCount = 4, Offsets = offsets, Sizes = extents, Strides = strides,
      InputTensor = { "FLOAT32", { 1, 1, 4, 4 }, ones_to(16) }, OutputTensor = { "FLOAT32", extents, values } }
  end
  return operator "SLICE" (moves {
    parameters = { { "d", dims(In) } },
    rules = {
      counted(page), given("Offsets", "Sizes", "Strides"),
      rule "output-sizes" { equal(sizes_of, sizes(Out)), page = page },
      rule "window-inside" { at_most(list "Offsets" + steps * last + 1, sizes(In)),
        at_most(least(steps, 0x80000000) * last, sizes(In)), page = page, -- the first product may be beyond 64 bits
        text = "Offsets + Strides * (Sizes - 1) must be below InputTensor.Sizes" },
      rule "stride-zero" { at_least(steps, 1), strength = "open", ruling = "V1" },
    },
    situations = {
      situation "strided-last" { text = "the last dimension has a stride above 1 and an offset", at_least(entry(steps, -1), 2),
        at_least(entry(list "Offsets", -1), 1), at_least(size(Out, -1), 3) },
      situation "strided-first" { text = "the first of several dimensions has a stride above 1", at_least(dims(In), 3),
        at_least(entry(steps, 0), 2), at_least(size(Out, 0), 3) },
      situation "wide-stride" { text = "a stride is above 32", at_least(size(In, -1), 120), equal(entry(list "Offsets", -1), 0),
        equal(size(Out, -1), 2), between(entry(steps, -1), 33, 100) },
    },
    text = "element c of the output is element Offsets + Strides * c of the input",
    from = function(T)
      local input, offsets, strides = T.InputTensor, T.Offsets, T.Strides
      return function(c, at)
        for i = 0, #c do at[i] = offsets[i] + strides[i] * c[i] end
        return input
      end
    end,
    examples = {
      example_of("page", { 0, 0, 1, 2 }, { 1, 1, 3, 2 }, { 1, 1, 1, 1 }, { 7, 8, 11, 12, 15, 16 }),
      example_of("page-strides", { 0, 0, 1, 0 }, { 1, 1, 2, 2 }, { 1, 1, 2, 3 }, { 5, 8, 13, 16 }),
      example "columns" { ruling = "V2", DimensionCount = 4, Offsets = { 0, 0, 1, 1 }, Sizes = { 1, 1, 3, 2 },
        Strides = { 1, 1, 1, 2 }, InputTensor = { "FLOAT32", { 1, 1, 5, 5 }, ones_to(25) },
        OutputTensor = { "FLOAT32", { 1, 1, 3, 2 }, { 7, 9, 12, 14, 17, 19 } } },
    },
  })
end

-- The windows of SLICE1 and SLICE_GRAD in the tensor `whole`; `part` has an element for each step of the window.
local offsets, extents, steps = list "InputWindowOffsets", list "InputWindowSizes", list "InputWindowStrides"

local function window_rules(page, whole, part, soft_stride, soft_sizes)
  return {
    given("InputWindowOffsets", "InputWindowSizes", "InputWindowStrides"),
    rule "window-nonempty" { at_least(extents, 1), page = page },
    rule "stride-nonzero" { at_least(abs(steps), 1), page = page, strength = soft_stride, ruling = soft_stride and "V3" },
    rule(part == Out and "output-sizes" or "input-sizes") {
      when(all_of(at_least(abs(steps), 1), at_least(extents, 1)),
        at_least(extents, least((sizes(part) - 1) * abs(steps) + 1, sizes(whole))), -- the solver may enlarge it
        at_most(sizes(part), 1 + (extents - 1) // abs(steps))),
      page = page, ruling = soft_sizes or "V4", strength = soft_sizes and "soft",
      text = ("%s.Sizes must be at most 1 + floor((InputWindowSizes - 1) / |InputWindowStrides|)"):format(part) },
    rule "window-inside" { at_most(extents + offsets, sizes(whole)), page = page },
  }
end

-- Windows that go backwards, are apart, or begin late in the tensor `part` of fewer elements.
local function window_situations(part)
  return {
    situation "backward-last" { text = "the last dimension is read backwards", at_most(entry(steps, -1), -1),
      at_least(size(part, -1), 3) },
    situation "backward-apart" { text = "the last dimension is read backwards with gaps", at_most(entry(steps, -1), -2),
      at_least(size(part, -1), 3) },
    situation "backward-first" { text = "the first of several dimensions is read backwards", at_least(attr "DimensionCount", 3),
      at_most(entry(steps, 0), -1), at_least(size(part, 0), 3) },
    situation "late" { text = "the window begins past the first elements, with gaps", at_least(entry(offsets, -1), 2),
      at_least(entry(steps, -1), 2), at_least(size(part, -1), 3) },
  }
end

-- Returns the first elements of the windows: a window with a negative stride starts at its end.
local function first_of(T)
  local first = {}
  for i = 0, T.DimensionCount - 1 do
    first[i] = T.InputWindowOffsets[i] + (T.InputWindowStrides[i] < 0 and T.InputWindowSizes[i] - 1 or 0)
  end
  return first
end

local function slice1()
  local page = "DML_SLICE1"
  local function example_of(id, strides, values)
    return example(id) { page = page, ruling = "V4", DimensionCount = 4, InputWindowOffsets = { 0, 0, 0, 1 },
      InputWindowSizes = { 1, 1, 4, 3 }, InputWindowStrides = strides,
      InputTensor = { "FLOAT32", { 1, 1, 4, 4 }, ones_to(16) }, OutputTensor = { "FLOAT32", { 1, 1, 2, 2 }, values } }
  end
  local function row(id, size, stride, values)
    return example(id) { ruling = "V2", DimensionCount = 1, InputWindowOffsets = { 1 }, InputWindowSizes = { size },
      InputWindowStrides = { stride }, InputTensor = { "FLOAT32", { 7 }, { 0, 1, 2, 3, 4, 5, 6 } },
      OutputTensor = { "FLOAT32", { #values }, values } }
  end
  return operator "SLICE1" (moves {
    parameters = { { "d", dims(In) } },
    rules = { counted(page), window_rules(page, In, Out, "soft") },
    situations = window_situations(Out),
    text = "element c of the output is element start + InputWindowStrides * c of the input; if the stride is " ..
      "negative, start is the last element of the window",
    from = function(T)
      local input, strides, first = T.InputTensor, T.InputWindowStrides, first_of(T)
      return function(c, at)
        for i = 0, #c do at[i] = first[i] + strides[i] * c[i] end
        return input
      end
    end,
    examples = {
      example_of("page", { 1, 1, 2, 2 }, { 2, 4, 10, 12 }), example_of("page-negative", { 1, 1, -2, 2 }, { 14, 16, 6, 8 }),
      row("backward", 5, -2, { 5, 3, 1 }), row("backward-far", 6, -4, { 6, 2 }),
    },
  })
end

local function slice_grad()
  local page, In_, Out_ = "DML_SLICE_GRAD", "InputGradientTensor", "OutputGradientTensor"
  return operator "SLICE_GRAD" (moves {
    parameters = { { "d", dims(In_) } },
    rules = { agreement(page), rule "dimension-count" { equal(D, dims(In_)), page = page },
      window_rules(page, Out_, In_, nil, "V12") },
    situations = window_situations(In_), shape = { also = { each(steps, 1, 1), equal(sizes(Out_), sizes(In_)) } },
    text = "element start + InputWindowStrides * c of the output is element c of the input, with start as in " ..
      "SLICE1; the others are 0",
    from = function(T)
      local input, strides, first = T.InputGradientTensor, T.InputWindowStrides, first_of(T)
      local sizes_of = input.sizes
      return function(c, at)
        for i = 0, #c do
          local way = c[i] - first[i]
          at[i] = way // strides[i]
          if way % strides[i] ~= 0 or at[i] < 0 or at[i] >= sizes_of[i] then return nil, 0 end
        end
        return input
      end
    end,
    examples = {
      example "page" { page = page, ruling = "V2", DimensionCount = 2, InputWindowOffsets = { 0, 0 }, InputWindowSizes = { 4, 4 },
        InputWindowStrides = { 2, 2 }, InputGradientTensor = { "FLOAT32", { 2, 2 }, { 1, 3, 9, 11 } },
        OutputGradientTensor = { "FLOAT32", { 4, 4 }, { 1, 0, 3, 0, 0, 0, 0, 0, 9, 0, 11, 0, 0, 0, 0, 0 } } },
      example "backward" { ruling = "V2", DimensionCount = 4, InputWindowOffsets = { 0, 0, 0, 1 },
        InputWindowSizes = { 1, 1, 4, 3 }, InputWindowStrides = { 1, 1, -2, 2 },
        InputGradientTensor = { "FLOAT32", { 1, 1, 2, 2 }, { 1, 2, 3, 4 } },
        OutputGradientTensor = { "FLOAT32", { 1, 1, 4, 4 }, { 0, 0, 0, 0, 0, 3, 0, 4, 0, 0, 0, 0, 0, 1, 0, 2 } } },
    },
  })
end

-- ---- parts that follow each other along an axis of the whole

local function parts_rules(page, whole, array, count)
  local axis, some = attr "Axis", at_least(attr(count), 1)
  local each_part = function(make) return every(array, make) end
  return {
    rule "count-positive" { some, page = page },
    rule "parts-given" { when(some, present(array)), strength = "soft", ruling = "B10" },
    rule "axis-range" { below(axis, dims(whole)), page = page },
    rule "parts-dims" { each_part(function(P) return equal(dims(P), dims(whole)) end), page = page },
    rule "parts-type" { each_part(function(P) return equal(data_type(P), data_type(whole)) end), page = page },
    rule "parts-sizes" { page = page,
      each_part(function(P) return equal(replace(sizes(P), axis, 1), replace(sizes(whole), axis, 1)) end) },
    rule "axis-sum" { page = page,
      when(some, equal(size(whole, axis), sum(map(array, function(P) return size(P, axis) end)))) },
  }
end

-- Parts along the first and the last dimension, and parts of one element. `first` is the first part.
local function part_situations(whole, first, count)
  local axis = attr "Axis"
  return {
    situation "axis-first" { text = "three or more parts lie along the first of several dimensions", equal(axis, 0),
      at_least(dims(whole), 3), at_least(attr(count), 3), at_least(size(whole, -1), 3) },
    situation "axis-last" { text = "three or more parts lie along the last of several dimensions", at_least(dims(whole), 3),
      equal(axis, dims(whole) - 1), at_least(attr(count), 3), at_least(size(whole, 0), 2) },
    situation "one-part" { text = "there is one part", equal(attr(count), 1) },
    situation "part-of-one" { text = "the first part is one element long, beside others", equal(size(first, axis), 1),
      at_least(attr(count), 2) },
    situation "many-parts" { text = "there are 64 parts, the most that devices of this repository take", equal(attr(count), 64) },
    situation "part-past-256" { text = "the first part is longer than 256", at_least(size(first, axis), 257) },
  }
end

local function split()
  local page = "DML_SPLIT"
  local function part(sizes_of, values) return { "FLOAT32", sizes_of, values } end
  local function example_of(id, axis, outputs)
    return example(id) { page = page, OutputCount = #outputs, Axis = axis,
      InputTensor = { "FLOAT32", { 1, 1, 6, 2 }, ones_to(12) }, OutputTensors = outputs }
  end
  return operator "SPLIT" (moves {
    parameters = { { "d", dims(In) }, { "a", attr "Axis" }, { "n", attr "OutputCount" } },
    rules = parts_rules(page, In, "OutputTensors", "OutputCount"),
    situations = part_situations(In, "OutputTensors[0]", "OutputCount"),
    text = "the outputs are consecutive parts of the input along Axis",
    from = function(T)
      local input, axis, before = T.InputTensor, T.Axis, { [0] = 0 }
      for j = 0, T.OutputCount - 1 do before[j + 1] = before[j] + T.OutputTensors[j].sizes[axis] end
      return function(c, at, j)
        for i = 0, #c do at[i] = c[i] end
        at[axis] = c[axis] + before[j]
        return input
      end
    end,
    examples = {
      example_of("page-rows", 2, { part({ 1, 1, 2, 2 }, { 1, 2, 3, 4 }), part({ 1, 1, 1, 2 }, { 5, 6 }),
        part({ 1, 1, 3, 2 }, { 7, 8, 9, 10, 11, 12 }) }),
      example_of("page-columns", 3, { part({ 1, 1, 6, 1 }, { 1, 3, 5, 7, 9, 11 }), part({ 1, 1, 6, 1 }, { 2, 4, 6, 8, 10, 12 }) }),
    },
  })
end

local function join()
  local page = "DML_JOIN"
  local function square(from) return { "FLOAT32", { 1, 1, 2, 2 }, { from, from + 1, from + 2, from + 3 } } end
  local function example_of(id, axis, sizes_of, values)
    return example(id) { page = page, InputCount = 3, Axis = axis, InputTensors = { square(1), square(5), square(9) },
      OutputTensor = { "FLOAT32", sizes_of, values } }
  end
  return operator "JOIN" (moves {
    parameters = { { "d", dims(Out) }, { "a", attr "Axis" }, { "n", attr "InputCount" } },
    rules = parts_rules(page, Out, "InputTensors", "InputCount"),
    situations = part_situations(Out, "InputTensors[0]", "InputCount"),
    text = "the output is the concatenation of the inputs along Axis",
    from = function(T)
      local inputs, axis, part_of, before = T.InputTensors, T.Axis, {}, {}
      for j = 0, T.InputCount - 1 do
        local past = #before
        for k = 0, inputs[j].sizes[axis] - 1 do part_of[past + k], before[past + k + 1] = j, past end
      end
      return function(c, at)
        for i = 0, #c do at[i] = c[i] end
        at[axis] = c[axis] - before[c[axis] + 1]
        return inputs[part_of[c[axis]]]
      end
    end,
    examples = {
      example "page-two" { page = page, InputCount = 2, Axis = 3,
        InputTensors = { { "FLOAT32", { 1, 1, 2, 3 }, ones_to(6) }, { "FLOAT32", { 1, 1, 2, 4 }, { 7, 8, 9, 10, 11, 12, 13, 14 } } },
        OutputTensor = { "FLOAT32", { 1, 1, 2, 7 }, { 1, 2, 3, 7, 8, 9, 10, 4, 5, 6, 11, 12, 13, 14 } } },
      example_of("page-channels", 1, { 1, 3, 2, 2 }, ones_to(12)), example_of("page-rows", 2, { 1, 1, 6, 2 }, ones_to(12)),
      example_of("page-columns", 3, { 1, 1, 2, 6 }, { 1, 2, 5, 6, 9, 10, 3, 4, 7, 8, 11, 12 }),
    },
  })
end

-- ---- sizes that grow

local function tile()
  local page, repeats = "DML_TILE", list "Repeats"
  return operator "TILE" (moves {
    parameters = { { "d", dims(In) } },
    rules = {
      rule "same-dims" { same "DimensionCount", page = page, ruling = "V5" }, rule "same-type" { same "DataType", page = page },
      rule "repeats-count" { equal(attr "RepeatsCount", dims(In)), page = page },
      given "Repeats",
      rule "repeats-positive" { at_least(repeats, 1), page = page },
      rule "output-sizes" { when(at_least(repeats, 1), equal(sizes(Out), sizes(In) * repeats),
        at_most(sizes(In) * least(repeats, 0x80000000), sizes(Out))), page = page, -- the first product may be beyond 64 bits
        text = "OutputTensor.Sizes must be InputTensor.Sizes * Repeats" },
    },
    situations = {
      situation "repeats-above-16" { text = "the last dimension is repeated more than 16 times",
        at_least(entry(repeats, -1), 17) },
      situation "repeats-first" { text = "the first of several dimensions is repeated more than 16 times",
        at_least(dims(In), 2), at_least(entry(repeats, 0), 17) },
      situation "repeats-one-element" { text = "one element is repeated more than 256 times", each(sizes(In), 1, 1),
        at_least(entry(repeats, -1), 257) },
    },
    text = "element c of the output is element c mod InputTensor.Sizes of the input",
    from = function(T)
      local input, sizes_of = T.InputTensor, T.InputTensor.sizes
      return function(c, at)
        for i = 0, #c do at[i] = c[i] % sizes_of[i] end
        return input
      end
    end,
    examples = {
      example "page" { page = page, ruling = "V5", RepeatsCount = 4, Repeats = { 1, 1, 3, 3 },
        InputTensor = { "FLOAT32", { 1, 1, 2, 3 }, ones_to(6) },
        OutputTensor = { "FLOAT32", { 1, 1, 6, 9 }, {
          1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 1, 2, 3,
          4, 5, 6, 4, 5, 6, 4, 5, 6, 1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6,
        } } },
    },
  })
end

-- Functions that return the coordinate to read for p, which may be outside of the n elements of a dimension; nil for
-- the padding value.
local modes = {
  CONSTANT = function(p, n) return p >= 0 and p < n and p or nil end,
  EDGE = function(p, n) return p < 0 and 0 or p < n and p or n - 1 end,
  REFLECTION = function(p, n)
    if n == 1 then return 0 end
    local m = p % (2 * n - 2)
    return m < n and m or 2 * n - 2 - m
  end,
  SYMMETRIC = function(p, n)
    local m = p % (2 * n)
    return m < n and m or 2 * n - 1 - m
  end,
  WRAP = function(p, n) return p % n end,
}

-- Each mode with wide paddings, at high ranks, and before the first dimension.
local function padding_situations(starts, ends)
  local found = {}
  for number, name in pairs { [0] = "constant", "edge", "reflection", "symmetric", "wrap" } do
    local function add(id, text, ...)
      found[#found + 1] = situation(name .. id) { text = text, equal(attr "PaddingMode", number), ... }
    end
    add("-high-rank", "the mode at rank 6 to 8, with padding of three dimensions", at_least(dims(In), 6),
      at_least(entry(starts, 0), 1), at_least(entry(ends, 2), 1), at_least(entry(starts, -1), 1),
      at_least(size(In, 0), 2), at_least(size(In, 2), 2), at_least(size(In, -1), 2))
    add("-first", "the first of several dimensions is padded at its start", at_least(dims(In), 2),
      at_least(entry(starts, 0), 1), at_least(size(In, 0), 2))
    add("-wide", "more than 64 elements are padded at the start of a row", at_least(entry(starts, -1), 65),
      at_least(size(In, -1), 70))
    add("-end", "only the end of a row is padded", each(starts, 0, 0), at_least(entry(ends, -1), 3),
      at_least(size(In, -1), 4))
  end
  return found
end

-- Makes PADDING or PADDING1.
local function padding(page, body)
  local starts, ends = list "StartPadding", list "EndPadding"
  local reflects, wrap = equal(attr "PaddingMode", 2), equal(attr "PaddingMode", 4)
  local room = least(sizes(In) - 1, 1) * 0xffffffff -- 0 where the size is 1
  local more = {
    counted(page), given("StartPadding", "EndPadding"),
    rule "output-sizes" { equal(sizes(Out), sizes(In) + starts + ends), page = page },
    rule "mode-known" { at_most(attr "PaddingMode", 4), strength = "soft", ruling = "V6" },
    rule "mode-level" { page = page, ruling = "V6",
      text = "PaddingMode may be SYMMETRIC from 3_0 on, WRAP from 6_4 on",
      before_level("3_0", when(at_most(attr "PaddingMode", 4), at_most(attr "PaddingMode", 2))),
      from_level("3_0", before_level("6_4", when(at_most(attr "PaddingMode", 4), at_most(attr "PaddingMode", 3)))) },
    rule "reflected-one" { when(reflects, at_most(starts, room)), when(reflects, at_most(ends, room)),
      strength = "open", ruling = "V7", text = "REFLECTION may not pad a size of 1" },
    rule "wrapped-once" { when(wrap, at_most(starts, sizes(In))), when(wrap, at_most(ends, sizes(In))),
      strength = "open", ruling = "V7", text = "WRAP may pad by at most the size" },
  }
  for _, one in ipairs(body.rules) do more[#more + 1] = one end
  body.parameters, body.rules, body.situations = { { "d", dims(In) } }, more, padding_situations(starts, ends)
  body.text = "element c of the output is element c - StartPadding of the input; PaddingMode decides " ..
    "outside of the input"
  body.from = function(T)
    local f, value = modes[T.PaddingMode], T.PaddingValueBits or T.OutputTensor:encode(T.PaddingValue)
    local input, sizes_of, before = T.InputTensor, T.InputTensor.sizes, T.StartPadding
    return function(c, at)
      for i = 0, #c do
        at[i] = f(c[i] - before[i], sizes_of[i])
        if not at[i] then return nil, value end
      end
      return input
    end
  end
  local function example_of(id, mode, rows)
    local values = {}
    for _, row in ipairs(rows) do
      for _, value in ipairs(row) do values[#values + 1] = value end
    end
    return example(id) (body.valued { page = page, DimensionCount = 4, PaddingMode = mode, StartPadding = { 0, 0, 1, 2 },
      EndPadding = { 0, 0, 3, 4 },
      InputTensor = { "FLOAT32", { 1, 1, 4, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8 } },
      OutputTensor = { "FLOAT32", { 1, 1, 8, 10 }, values } })
  end
  local function row(id, mode, values)
    return example(id) (body.valued { ruling = "V2", DimensionCount = 1, PaddingMode = mode, StartPadding = { #values // 2 - 1 },
      EndPadding = { #values // 2 - 1 }, InputTensor = { "FLOAT32", { 3 }, { 1, 2, 3 } },
      OutputTensor = { "FLOAT32", { #values }, values } })
  end
  local function constant(r)
    return example_of("constant", "CONSTANT", { r[3], r[1], r[2], r[1], r[2], r[3], r[3], r[3] })
  end
  local function edge(r) return example_of("edge", "EDGE", { r[1], r[1], r[2], r[1], r[2], r[2], r[2], r[2] }) end
  local function reflection(r)
    return example_of("reflection", "REFLECTION", { r[2], r[1], r[2], r[1], r[2], r[1], r[2], r[1] })
  end
  local function symmetric(r)
    return example_of("symmetric", "SYMMETRIC", { r[1], r[1], r[2], r[1], r[2], r[2], r[1], r[2] })
  end
  body.examples = {
    constant { { 9, 9, 1, 2, 3, 4, 9, 9, 9, 9 }, { 9, 9, 5, 6, 7, 8, 9, 9, 9, 9 }, { 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 } },
    edge { { 1, 1, 1, 2, 3, 4, 4, 4, 4, 4 }, { 5, 5, 5, 6, 7, 8, 8, 8, 8, 8 } },
    reflection { { 3, 2, 1, 2, 3, 4, 3, 2, 1, 2 }, { 7, 6, 5, 6, 7, 8, 7, 6, 5, 6 } },
    symmetric { { 2, 1, 1, 2, 3, 4, 4, 3, 2, 1 }, { 6, 5, 5, 6, 7, 8, 8, 7, 6, 5 } },
    row("reflection-far", "REFLECTION", { 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2 }),
    row("symmetric-far", "SYMMETRIC", { 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3 }),
    row("wrap", "WRAP", { 2, 3, 1, 2, 3, 1, 2 }),
  }
  body.valued = nil
  return moves(body)
end

local function padding0()
  local page, value, constant = "DML_PADDING", attr "PaddingValue", equal(attr "PaddingMode", 0)
  local function holds(type, low, high)
    return when(all_of(constant, equal(data_type(Out), type)), at_least(value, low),
      below(value, high))
  end
  return operator "PADDING" (padding(page, {
    rules = {
      rule "value-fits" { strength = "open", page = page, ruling = "V8",
        text = "PaddingValue must be a number of OutputTensor's type, except for a fraction",
        holds(uint8, 0.0, 0x1p8), holds(int8, -0x1p7, 0x1p7), holds(uint16, 0.0, 0x1p16), holds(int16, -0x1p15, 0x1p15),
        holds(uint32, 0.0, 0x1p32), holds(int32, -0x1p31, 0x1p31), holds(uint64, 0.0, 0x1p64), holds(int64, -0x1p63, 0x1p63),
        holds(float16, -2048.0, 2048.5) },
    },
    valued = function(body)
      body.PaddingValue = 9
      return body
    end,
  }))
end

local function padding1()
  local page, constant = "DML_PADDING1", equal(attr "PaddingMode", 0)
  return operator "PADDING1" (padding(page, {
    rules = {
      rule "value-type" { when(constant, equal(attr "PaddingValueDataType", data_type(Out))), page = page },
      rule "value-type-unused" { when(at_least(attr "PaddingMode", 1), equal(attr "PaddingValueDataType", data_type(Out))),
        strength = "soft", ruling = "V9" },
    },
    valued = function(body)
      body.PaddingValueDataType, body.PaddingValue = "FLOAT32", "FLOAT32(9)"
      return body
    end,
  }))
end

-- ---- blocks of a plane and channels: X has the elements of a block in channels, Y in a plane

-- Several channels of the tensor `flat`, with blocks of more than one element, in each Order.
local function block_situations(B, deep, flat, has_order)
  local found = {}
  -- The sizes of the output follow from those of the input.
  local several = deep == In and equal(size(deep, 1), B * B * 2) or at_least(size(flat, 1), 2)
  for order = 0, has_order and 1 or 0 do
    local is = has_order and equal(attr "Order", order) or at_least(B, 1)
    local name = order == 0 and "channels" or "channels-depth-last"
    found[#found + 1] = situation(name) { text = "several channels of blocks of more than one element", is,
      at_least(B, 2), several }
    found[#found + 1] = situation(name .. "-large") { text = "several batches and channels, blocks of 3 by 3 or more",
      is, at_least(B, 3), several, at_least(size(In, 0), 2) }
    found[#found + 1] = situation(name .. "-wide") { text = "several channels, and rows of blocks of more than 32", is,
      equal(B, 2), several, at_least(size(In, 3), 66) }
  end
  return found
end

local function blocks(name, X, Y, has_order)
  local page, B = "DML_" .. name, attr "BlockSize"
  local flat = { -- one list for each Order
    { 0, 18, 1, 19, 2, 20, 36, 54, 37, 55, 38, 56, 3, 21, 4, 22, 5, 23, 39, 57, 40, 58, 41, 59, 9, 27, 10, 28, 11, 29, 45, 63,
      46, 64, 47, 65, 12, 30, 13, 31, 14, 32, 48, 66, 49, 67, 50, 68 },
    { 0, 9, 1, 10, 2, 11, 18, 27, 19, 28, 20, 29, 3, 12, 4, 13, 5, 14, 21, 30, 22, 31, 23, 32, 36, 45, 37, 46, 38, 47, 54, 63,
      55, 64, 56, 65, 39, 48, 40, 49, 41, 50, 57, 66, 58, 67, 59, 68 },
  }
  local function example_of(id, order)
    local deep = {}
    for d = 0, 7 do for h = 0, 1 do for w = 0, 2 do deep[#deep + 1] = 9 * d + 3 * h + w end end end
    return example(id) { page = page, ruling = X == Out and "V10" or nil, BlockSize = 2,
      Order = has_order and order == 1 and "DEPTH_COLUMN_ROW" or has_order and "COLUMN_ROW_DEPTH" or nil,
      [X] = { "UINT32", { 1, 8, 2, 3 }, deep }, [Y] = { "UINT32", { 1, 2, 4, 6 }, flat[order] } }
  end
  local divides_it = X == In and { divides(B, size(X, 1)), divides(B, size(X, 1) // B) }
    or { divides(B, size(Y, 2)), divides(B, size(Y, 3)) }
  local output = X == In and concat(size(X, 0), size(X, 1) // B // B, size(X, 2) * B, size(X, 3) * B)
    or concat(size(Y, 0), size(Y, 1) * B * B, size(Y, 2) // B, size(Y, 3) // B)
  return operator(name) (moves {
    parameters = { { "d", dims(In) } },
    rules = {
      rule "same-type" { same "DataType", page = page },
      rule "block-positive" { at_least(B, 1), strength = "soft", ruling = "V11" },
      rule "block-divides" { divides_it, ruling = "V11" },
      rule "output-sizes" { equal(sizes(Out), output), page = page, ruling = X == Out and "V10" or nil },
      has_order and rule "order-known" { at_most(attr "Order", 1), strength = "soft", ruling = "V6" } or nil,
    },
    situations = block_situations(B, X, Y, has_order),
    text = X == In and "each block of the output has one element from each of BlockSize * BlockSize channels"
      or "each element of a block of the input is copied to one of BlockSize * BlockSize channels",
    from = function(T)
      local input, b, channels = T.InputTensor, T.BlockSize, T[Y].sizes[1]
      local inner_depth = T.Order == "COLUMN_ROW_DEPTH"
      return function(c, at)
        at[0] = c[0]
        if X == In then
          local y, x = c[2] % b, c[3] % b
          at[1] = inner_depth and (c[1] * b + y) * b + x or (y * b + x) * channels + c[1]
          at[2], at[3] = c[2] // b, c[3] // b
        else
          local place = inner_depth and c[1] % (b * b) or c[1] // channels
          at[1] = inner_depth and c[1] // (b * b) or c[1] % channels
          at[2], at[3] = c[2] * b + place // b, c[3] * b + place % b
        end
        return input
      end
    end,
    examples = has_order and { example_of("depth-first", 1), example_of("depth-last", 2) } or { example_of("page", 1) },
  })
end

return {
  define("SLICE", slice_), define("SLICE1", slice1), define("SLICE_GRAD", slice_grad), define("SPLIT", split),
  define("JOIN", join), define("TILE", tile), define("PADDING", padding0), define("PADDING1", padding1),
  define("SPACE_TO_DEPTH", blocks, Out, In, false), define("SPACE_TO_DEPTH1", blocks, Out, In, true),
  define("DEPTH_TO_SPACE", blocks, In, Out, false), define("DEPTH_TO_SPACE1", blocks, In, Out, true),
}
