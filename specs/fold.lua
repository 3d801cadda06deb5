-- UNFOLD copies every position of a window in an image to a column; FOLD sums such columns to an image. The image is
-- {N, C, spatial sizes}; the columns are {N, C * elements of a window, positions of the window}.

local n = attr "DimensionCount"
local windows, strides, dilations = list "WindowSizes", list "Strides", list "Dilations"
local before, after = list "StartPadding", list "EndPadding"
local arrays = { "WindowSizes", "Strides", "Dilations", "StartPadding", "EndPadding" }
local extent = dilations * (windows - 1) + 1

-- Returns the lists that the rules and the sum need, for the image tensor `picture`.
local function parts_of(picture)
  local D = dims(picture)
  local padded = slice(sizes(picture), D - n, D) + before + after
  return { D = D, padded = padded, places = (padded - extent) // strides + 1,
    batch = entry(sizes(picture), D - n - 2), channels = entry(sizes(picture), D - n - 1) }
end

-- Makes conditions that apply only if the arrays have the entries that their count says.
local function where_counted(...) return when(between(n, 1, 6), ...) end

local function shared_rules(page, picture, columns)
  local P, given = parts_of(picture), {}
  local roomy, fits = at_least(P.D, n + 2), at_most(extent, P.padded)
  local ones, column_ones = at_most(effective_rank(picture), n + 2), at_most(effective_rank(columns), 3)
  for i, name in ipairs(arrays) do given[i] = present(name) end
  return {
    rule "spatial-range" { between(n, 1, 6), page = page },
    rule "arrays-given" { given, strength = "soft", ruling = "B10", text = "no array may be a null pointer" },
    rule "same-type" { same "DataType", ruling = "V16",
      untested = "the table lists one type, so a tensor of another breaks a rule by itself" },
    rule "natural-dims" { strength = "open", page = page, ruling = "V13",
      where_counted(when(all_of(between(P.D, n + 2, 8), ones), equal(P.D, n + 2))),
      when(all_of(between(dims(columns), 3, 8), column_ones), equal(dims(columns), 3)),
      text = ("%s must have 2 + DimensionCount dimensions, %s 3"):format(picture, columns) },
    rule "more-dims" { where_counted(roomy, when(roomy, ones)), column_ones, ruling = "V13",
      text = ("%s must have 2 + DimensionCount dimensions, %s 3; leading sizes are 1"):format(picture, columns) },
    rule "window-nonempty" { where_counted(at_least(windows, 1)), strength = "soft", ruling = "V14" },
    rule "strides" { where_counted(at_least(strides, 1)), strength = "soft", ruling = "V14" },
    rule "dilations" { where_counted(at_least(dilations, 1)), strength = "soft", ruling = "V14" },
    rule "window-fits" { ruling = "V14", text = "a dilated window must fit into the padded image",
      where_counted(fits, -- whose product may be beyond 64 bits
        at_most((windows - 1) * least(dilations, 0x80000000), P.padded)) },
    rule "columns-sizes" { page = page, ruling = "V15",
      text = ("the last sizes of %s must be {N, C * elements of a window, positions of the window}"):format(columns),
      where_counted(when(all_of(roomy, at_least(windows, 1), at_least(dilations, 1), fits),
        equal(suffix(sizes(columns), 3),
          concat(P.batch, product(concat(P.channels, windows)), product(P.places))))) },
  }
end

local function situations_of(picture)
  local D = dims(picture)
  return sliding_situations { windows = windows, strides = strides, dilations = dilations, before = before,
    after = after, image = slice(sizes(picture), D - n, D), count = n }
end

local function numbers(count, first)
  local values = {}
  for i = 1, count do values[i] = first + i - 1 end
  return values
end

-- Makes an example with equal windows, strides, dilations and paddings in `spatial` dimensions.
local function square(body, window, stride, dilation, spatial)
  local function all(value)
    local values = {}
    for i = 1, spatial do values[i] = value end
    return values
  end
  body.DimensionCount, body.WindowSizes, body.Strides, body.Dilations = spatial, all(window), all(stride), all(dilation)
  body.StartPadding, body.EndPadding = body.StartPadding or all(0), body.EndPadding or all(0)
  return body
end

-- The columns of a window of 3 by 3 in an image of 5 by 5 with the values 0 to 24. `above` rows of zeros are before
-- and after the image.
local function columns_of_25(above)
  local values = {}
  for k = 0, 8 do
    for y = -above, 2 + above do
      for x = 0, 2 do
        local row = y + k // 3
        values[#values + 1] = row >= 0 and row < 5 and 5 * row + x + k % 3 or 0
      end
    end
  end
  return values
end

-- Columns of ones, and the number of windows of 5 by 5 that cover each element of an image of 9 by 9.
local function overlaps()
  local ones, counts = {}, {}
  for i = 1, 625 do ones[i] = 1 end
  for y = 0, 8 do
    for x = 0, 8 do counts[#counts + 1] = math.min(y + 1, 9 - y, 5) * math.min(x + 1, 9 - x, 5) end
  end
  return ones, counts
end

-- ---- UNFOLD

local function unfold()
  local page, X, Y = "DML_UNFOLD", "OutputTensor", "InputTensor"
  local picture = { "FLOAT32", { 1, 1, 5, 5 }, numbers(25, 0) }
  return operator "UNFOLD" (moves {
    parameters = { { "d", dims(Y) } },
    situations = situations_of "InputTensor",
    rules = shared_rules(page, Y, X),
    text = "row c * elements + k, column q of the output is element k of window q in channel c, or 0 in the padding",
    from = function(T)
      local input, count, past, places = T.InputTensor, T.DimensionCount, #T.InputTensor.sizes, {}
      local size, step, gap, start = T.WindowSizes, T.Strides, T.Dilations, T.StartPadding
      local lead, elements = past - count - 1, 1 -- `past` is the last dimension
      for d = 0, count - 1 do
        local padded = input.sizes[lead + 2 + d] + start[d] + T.EndPadding[d]
        places[d] = (padded - gap[d] * (size[d] - 1) - 1) // step[d] + 1
        elements = elements * size[d]
      end
      return function(c, at)
        for i = 0, past do at[i] = 0 end
        local row, column = c[#c - 1], c[#c]
        at[lead], at[lead + 1] = c[#c - 2], row // elements
        row = row % elements
        for d = count - 1, 0, -1 do
          local place = column % places[d] * step[d] + row % size[d] * gap[d] - start[d]
          if place < 0 or place >= input.sizes[lead + 2 + d] then return nil, 0 end
          at[lead + 2 + d] = place
          row, column = row // size[d], column // places[d]
        end
        return input
      end
    end,
    examples = {
      example "page" (square({ page = page, InputTensor = picture,
        OutputTensor = { "FLOAT32", { 1, 9, 9 }, columns_of_25(0) } }, 3, 1, 1, 2)),
      example "page-padding" (square({ page = page, InputTensor = picture,
        StartPadding = { 1, 0 }, EndPadding = { 1, 0 },
        OutputTensor = { "FLOAT32", { 1, 9, 15 }, columns_of_25(1) } }, 3, 1, 1, 2)),
      example "rounding" (square({ ruling = "V2, V15", InputTensor = { "FLOAT32", { 1, 1, 6 }, numbers(6, 0) },
        OutputTensor = { "FLOAT32", { 1, 3, 2 }, { 0, 2, 1, 3, 2, 4 } } }, 3, 2, 1, 1)),
      example "dilation" (square({ ruling = "V2", StartPadding = { 1 }, EndPadding = { 1 },
        InputTensor = { "FLOAT32", { 1, 1, 7 }, numbers(7, 1) },
        OutputTensor = { "FLOAT32", { 1, 3, 3 }, { 0, 2, 4, 2, 4, 6, 4, 6, 0 } } }, 3, 2, 2, 1)),
    },
  })
end

-- ---- FOLD

-- The sum over all windows that cover the element. For each element of a window, at most one window covers the output
-- element with it.
local function windows_over(X, Y)
  local P, at = parts_of(Y), place(Y)
  local window = divided(slice(at, P.D - n, P.D) + before - step(windows) * dilations, strides, P.places)
  local row = entry(at, P.D - n - 1) * product(windows) + sum(step(windows) * weights(windows))
  return over { sizes = windows, fold = "sum", element(X),
    at = { [X] = concat(filled(0, dims(X) - 3), entry(at, P.D - n - 2), row, sum(window * weights(P.places))) } }
end

local function fold()
  local page, X, Y = "DML_FOLD", "InputTensor", "OutputTensor"
  local summed = windows_over(X, Y)
  local tolerance, ones, counts = rounded(summed), overlaps()
  local function example_of(id, rows, channels, picture)
    local columns = { "FLOAT32", { 1, 9 * channels, rows }, numbers(9 * channels * rows, 0) }
    return example(id) (square({ page = page, InputTensor = columns,
      StartPadding = rows == 8 and { 1, 0 } or nil, EndPadding = rows == 8 and { 1, 0 } or nil,
      OutputTensor = { "FLOAT32", { 1, channels, 4, 4 }, picture } }, 3, 1, 1, 2))
  end
  return operator "FOLD" {
    parameters = { { "d", dims(Y) } },
    rules = shared_rules(page, Y, X),
    situations = { shape_situations(Y), number_situations(X), situations_of(Y) },
    results = { result(Y) { summed,
      FLOAT16 = tolerance.FLOAT16, FLOAT32 = tolerance.FLOAT32, FLOAT64 = tolerance.FLOAT32 } },
    domains = { [X] = { -8, 8 } },
    behaviours = {
      behaviour "sums" {
        text = "each element is the sum of all column elements of its position, or 0; elements of the padding are " ..
          "dropped",
        page = page, ruling = "S1, S12" },
      behaviour "nans" {
        text = "a NaN element makes a result NaN only if the result contains it; so do infinities whose sum is " ..
          "undefined",
        ruling = "S12" },
      behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
      partial_overflow(summed),
    },
    examples = {
      example_of("page", 4, 1, { 0, 5, 13, 9, 14, 38, 54, 32, 38, 86, 102, 56, 26, 57, 65, 35 }),
      example_of("page-padding", 8, 1, { 26, 70, 102, 60, 78, 183, 231, 129, 84, 195, 243, 135, 82, 182, 214, 116 }),
      example_of("page-channels", 8, 2, { 26, 70, 102, 60, 78, 183, 231, 129, 84, 195, 243, 135, 82, 182, 214, 116,
        170, 358, 390, 204, 294, 615, 663, 345, 300, 627, 675, 351, 226, 470, 502, 260 }),
      example "rounding" (square({ ruling = "V2, V15", InputTensor = { "FLOAT32", { 1, 3, 2 }, { 1, 3, 2, 4, 3, 5 } },
        OutputTensor = { "FLOAT32", { 1, 1, 6 }, { 1, 2, 6, 4, 5, 0 } } }, 3, 2, 1, 1)),
      example "overlaps" (square({ ruling = "V2", InputTensor = { "FLOAT32", { 1, 25, 25 }, ones },
        OutputTensor = { "FLOAT32", { 1, 1, 9, 9 }, counts } }, 5, 1, 1, 2)),
    },
  }
end

return { fold(), unfold() }
