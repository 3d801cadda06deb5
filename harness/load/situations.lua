-- Situations that many operators have in common. This file runs before families.lua, whose words use these, and adds to
-- the words. Each word returns a list of situations, which stands among those of an operator.

local words, tools = ...

local situation, at_least, size, dims = words.situation, words.at_least, words.size, words.dims

-- The highest DimensionCount that the tensor has at any level.
local function most_dims(tensor)
  local most, like = 0, tensor
  for _, field in ipairs(tools.operator.fields) do if field[2] == tensor then like = field.like or tensor end end
  for _, level in ipairs(tools.operator.levels) do most = math.max(most, level[like][3] or level[like][2]) end
  return most
end

-- Returns the field of the operator that has this kind: "input".
local function first_field(kind)
  for _, field in ipairs(tools.operator.fields) do if field[1] == kind then return field[2] end end
end

-- Sizes past every tile, with each kind of strides, and the ends of the shapes. `tensor`: an input or output whose sizes
-- may be any. `limits` has `highest`, the highest rank at which the first size may be above 1, if rules limit it; `also`,
-- conditions with which the sizes may be any; `single = false`: the tensor has more than one element.
function words.shape_situations(tensor, limits)
  limits = limits or {}
  local also, most, is_input = limits.also or {}, most_dims(tensor), false
  for _, field in ipairs(tools.operator.fields) do is_input = is_input or field[2] == tensor and field[1] == "input" end
  local found = {
    situation "inner-past-256" { text = "the last size is above 256 and no multiple of 4",
      at_least(size(tensor, -1), 257), words.one_of(size(tensor, -1) % 4, { 1, 3 }), also },
    situation "padded-past-256" { text = "rows of more than 256 elements have gaps", at_least(size(tensor, -1), 257), also,
      strides = { [tensor] = "padded" } },
  }
  local function add(one) found[#found + 1] = one end
  if limits.single ~= false then
    add(situation "single" { text = "there is one element", words.each(words.sizes(tensor), 1, 1) })
  end
  if most < 2 then return found end
  most = math.min(most, limits.highest or most)
  local wide = { at_least(dims(tensor), 2), at_least(size(tensor, -1), 33), at_least(size(tensor, -2), 33), also }
  add(situation "outer-past-256" { text = "the last size but one is above 256, and the last above 1",
    at_least(dims(tensor), 2), at_least(size(tensor, -2), 257), at_least(size(tensor, -1), 2), also })
  add(situation "permuted-past-tile" { text = "dimensions are in another order in memory, and two sizes are above 32",
    wide, strides = { [tensor] = "permuted" } })
  if is_input then
    add(situation "broadcast-past-tile" { text = "an input repeats elements, and two sizes are above 32", wide,
      strides = { [tensor] = "broadcast" } })
  end
  add(situation "highest-rank" { text = ("the tensor has %d dimensions, and the first size is above 1"):format(most),
    at_least(dims(tensor), most), at_least(size(tensor, 0), 2), also })
  return found
end

-- Contents of an input at which arithmetic overflows, cancels or loses digits.
function words.number_situations(tensor)
  local long = { at_least(size(tensor, -1), 509) }
  for _, field in ipairs(tools.operator.fields) do
    if field[1] == "scale_bias" then long[2] = words.absent(field[2]) end
  end
  local function with(fill, text) return situation(fill) { text = text, fill = fill, long } end
  return {
    with("far-below", "all elements are near -10000"), with("far-above", "all elements are near 10000"),
    with("hundred", "the elements cross the limits at which powers of e overflow and vanish"),
    with("masked-out", "half of the elements are minus infinity"), with("huge", "one element is far above the others"),
    with("close", "all elements are 1 or less than 1/1000 above it"),
    with("small", "all elements are below 1/1000, of both signs"),
    situation "all-equal" { text = "all elements are equal", fill = "constant zero one", at_least(size(tensor, -1), 2) },
  }
end

-- The same for operators on bits, where no pattern is a number.
function words.bit_situations(tensor)
  return {
    situation "patterns" { text = "the elements count in bits", fill = "patterns", at_least(size(tensor, -1), 257) },
    situation "denormals" { text = "all floats are denormals", fill = "denormals", at_least(size(tensor, -1), 33) },
    situation "signalling-nans" { text = "all floats are signalling NaNs", fill = "signalling-nans",
      at_least(size(tensor, -1), 33) },
    situation "extremes" { text = "the elements are the extremes of their type, NaNs and infinities", fill = "special",
      at_least(size(tensor, -1), 33) },
  }
end

local special = {
  { "infinite", math.huge, "infinity" }, { "minus-infinite", -math.huge, "minus infinity" },
  { "nan", 0 / 0, "a NaN" }, { "minus-zero", -0.0, "-0" }, { "zero", 0.0, "0" }, { "one", 1.0, "1" },
  { "largest", 0x1.fffffep127, "the largest FLOAT32" }, { "denormal", 0x1p-149, "the smallest denormal FLOAT32" },
  { "rounded", 1 + 0x1p-12, "a number that FLOAT16 rounds" },
}

-- Special values of the operator's FLOATs and scalars. `without`: a text with the names of values that no legal
-- description has, or words of fields and names: "nan Min-infinite". `also`: conditions with which the values count.
function words.value_situations(without, also)
  local found = {}
  for _, field in ipairs(tools.operator.fields) do
    for _, one in ipairs((field[1] == "float" or field[1] == "scalar") and special or {}) do
      local id = ("%s-%s"):format(field[2], one[1])
      local left_out = " " .. (without or "") .. " "
      if not string.find(left_out, " " .. one[1] .. " ", 1, true) and
        not string.find(left_out, " " .. id .. " ", 1, true) then
        found[#found + 1] = situation(id) { text = ("%s is %s"):format(field[2], one[3]),
          also or {}, values = { [field[2]] = one[2] } }
      end
    end
  end
  return found
end

-- Windows over the dimensions of an image: the lists `windows`, `strides`, `before` and `after`, the paddings, and
-- `dilations`, a list or 1. `image`: the sizes of the image. `count`: the number of dimensions.
-- `also`: conditions with which these may be any.
function words.sliding_situations(fields)
  local windows, strides, before, after, also = fields.windows, fields.strides, fields.before, fields.after, fields.also or {}
  local equal, at_most, each, last = words.equal, words.at_most, words.each, function(of) return words.entry(of, -1) end
  local dilated = fields.dilations ~= 1
  local extent = (windows - 1) * fields.dilations + 1
  local rest = (fields.image + before + after - extent) % strides -- elements past the last window
  local found = {
    situation "overlapping" { text = "windows overlap", also, at_least(last(windows), 3), equal(last(strides), 1) },
    situation "apart" { text = "elements lie between the windows", also, at_most(last(windows), 2), at_least(last(strides), 3) },
    situation "start-padding" { text = "windows begin in the padding alone", also, at_least(last(before), 2),
      equal(last(after), 0) },
    situation "end-padding" { text = "windows end in the padding alone", also, at_least(last(after), 2),
      equal(last(before), 0) },
    situation "one-element-windows" { text = "windows have one element", also, each(windows, 1, 1) },
    situation "one-element-apart" { text = "windows of one element leave out others", also, each(windows, 1, 1),
      each(strides, 2, 3) },
    situation "three-dimensions" { text = "there are three dimensions with windows of their own", also,
      equal(fields.count, 3), at_least(words.entry(windows, 0), 2), at_least(words.entry(strides, 1), 2) },
    situation "first-in-padding" { text = "the first windows lie in the padding alone", also,
      at_least(last(before), last(extent)) },
    situation "last-in-padding" { text = "the last windows lie in the padding alone", also,
      at_least(last(after), last(extent) + last(rest)) },
    situation "narrow-and-tall" { text = "windows have several rows and one column", also, at_least(fields.count, 2),
      at_least(words.entry(windows, -2), 3), equal(last(windows), 1) },
    situation "unequal-strides" { text = "strides and paddings differ between the dimensions", also,
      at_least(fields.count, 2), equal(words.entry(strides, -2), 1), at_least(last(strides), 2),
      at_least(words.entry(before, -2), 1), equal(last(before), 0) },
    situation "whole-image" { text = "one window is the whole image, of more than 8 columns", also,
      at_least(last(fields.image), 9), each(before, 0, 0), each(after, 0, 0),
      dilated and each(fields.dilations, 1, 1) or {}, equal(windows, fields.image) },
    situation "past-tile" { text = "windows of 3 columns lie two apart in rows of more than 64", also,
      at_least(last(fields.image), 65), equal(last(windows), 3), equal(last(strides), 2) },
    situation "columns-past-32" { text = "windows have more than 32 columns, and there are several of them in a row",
      also, at_least(last(windows), 33), at_least(last(fields.image), 71), at_most(last(strides), 3) },
    situation "rows-past-32" { text = "windows have more than 32 rows, and there are several of them in a column",
      also, at_least(fields.count, 2), at_least(words.entry(windows, -2), 33),
      at_least(words.entry(fields.image, -2), 71), at_most(words.entry(strides, -2), 3) },
  }
  if dilated then
    local gaps = last(fields.dilations)
    found[#found + 1] = situation "gaps" { text = "windows have gaps and overlap", also, at_least(gaps, 2),
      at_least(last(windows), 2), equal(last(strides), 1) }
    found[#found + 1] = situation "gaps-and-strides" { text = "windows have gaps, and strides that do not divide them", also,
      equal(gaps, 3), at_least(last(windows), 2), equal(last(strides), 2) }
    found[#found + 1] = situation "gaps-past-image" { text = "the gaps of windows are longer than the image", also,
      at_most(last(fields.image), 4), at_least(gaps, 5), equal(last(windows), 2) }
  end
  return found
end

-- Products of matrices, sizes beside the edges of tiles: `rows` and `depth` of the first factor, `columns` of the second
-- one, which is the tensor `other`. `also`: conditions with which these sizes may be any.
function words.product_situations(fields)
  local rows, depth, columns, also = fields.rows, fields.depth, fields.columns, fields.also or {}
  local equal, one_of = words.equal, words.one_of
  local function shaped(id, text, of_rows, of_depth, of_columns)
    return situation(id) { text = text, also, of_rows, of_depth, of_columns }
  end
  local function all(id, text, counts)
    return shaped(id, text, one_of(rows, counts), one_of(depth, counts), one_of(columns, counts))
  end
  local edges, several = { 63, 65, 127, 129 }, function(number) return at_least(number, 2) end
  return {
    shaped("inner-one", "products are of one column by one row", several(rows), equal(depth, 1), several(columns)),
    shaped("inner-prime", "sums have a prime number of terms past the edge of a tile", several(rows),
      one_of(depth, { 67, 131, 257 }), several(columns)),
    shaped("inner-past-1024", "sums have more than 1024 terms, no multiple of 4", several(rows),
      one_of(depth, { 1025, 1027, 1031 }), several(columns)),
    shaped("dot-product", "a row of more than 32 elements is multiplied by a column", equal(rows, 1), at_least(depth, 33),
      equal(columns, 1)),
    shaped("row-vector", "a row is multiplied by a matrix of more than 64 columns", equal(rows, 1), at_least(depth, 33),
      at_least(columns, 65)),
    shaped("column-vector", "a matrix of more than 64 rows is multiplied by a column", at_least(rows, 65),
      at_least(depth, 33), equal(columns, 1)),
    all("whole-tiles", "all sizes are whole tiles", { 16, 32 }),
    all("below-tiles", "all sizes are one below a tile's", { 7, 15, 31 }),
    all("above-tiles", "all sizes are one above a tile's", { 9, 17, 33 }),
    shaped("rows-at-edge", "the number of rows is next to 64 or 128", one_of(rows, edges), several(depth), several(columns)),
    shaped("columns-at-edge", "the number of columns is next to 64 or 128", several(rows), several(depth),
      one_of(columns, edges)),
    situation "other-permuted" { text = "the second matrix is transposed in memory, and two sizes are above 32", also,
      at_least(depth, 33), at_least(columns, 33), strides = { [fields.other] = "permuted" } },
    situation "other-broadcast" { text = "the second matrix repeats elements", also, several(rows), at_least(depth, 33),
      several(columns), strides = { [fields.other] = "broadcast" } },
    situation "units" { text = "the magnitudes of all elements are 1 or 2, so that sums are exact", fill = "units", also,
      at_least(depth, 33), several(columns) },
  }
end

-- Index tensors: the ends of their ranges, 64 bits, and sizes past every tile. `tuples`: the last dimension holds the
-- components of an index. `distinct`: no two indices may name one target.
function words.index_situations(indices, tuples, distinct)
  local last = tuples and -2 or -1
  local long = { at_least(dims(indices), -last), at_least(size(indices, last), 257) }
  local found = {
    situation "indices-one" { text = "there is one index, or one index for each of several batches", at_least(dims(indices), 1),
      words.equal(size(indices, last), 1) },
    situation "indices-past-256" { text = "there are more than 256 indices beside each other", long, indices = "any positive" },
    situation "indices-permuted" { text = "indices are in another order in memory", at_least(dims(indices), 2),
      at_least(size(indices, -1), 2), at_least(size(indices, -2), 2), strides = { [indices] = "permuted" } },
    situation "indices-padded" { text = "indices have gaps between them", strides = { [indices] = "padded" } },
    situation "indices-descending" { text = "the indices descend from the last position", indices = "descending" },
  }
  local function add(one) found[#found + 1] = one end
  if not distinct then
    add(situation "indices-at-ends" { text = "every index is the first, or the last position", indices = "first last" })
    add(situation "indices-each" { text = "each position occurs in turn, with more indices than positions",
      indices = "each" })
    add(situation "indices-broadcast" { text = "indices share memory", strides = { [indices] = "broadcast" } })
  end
  return found
end

-- Rows that are folded to one number, or divided by it. `long(n)`: a condition that rows have at least n elements.
-- `outer`: conditions with which the first of at least six dimensions is the row's, if the operator can have these.
-- `whole`: conditions with which all elements are one row.
function words.row_situations(fields)
  local tensor, long = fields.tensor or first_field "input", fields.long
  local rows = { at_least(dims(tensor), 2), at_least(size(tensor, -1), 12), at_least(size(tensor, -2), 12) }
  local function filled(fill, text) return situation("row-" .. fill) { text = text, fill = fill, long(33) } end
  local found = {
    filled("far-below", "the elements of a row are near -10000"),
    filled("far-above", "the elements of a row are near 10000"),
    filled("masked", "half of the elements of a row are -10000"),
    filled("masked-out", "half of the elements of a row are minus infinity"),
    filled("huge", "one element of a row is far above the others"),
    filled("close", "the elements of a row are 1 or less than 1/1000 above it"),
    filled("small", "the elements of a row are below 1/1000, of both signs"),
    filled("least", "all elements of a row are minus infinity, or the least integer"),
    filled("greatest", "all elements of a row are infinity, or the greatest integer"),
    situation "row-ties" { text = "all elements of a row are equal", fill = "constant zero one", long(33) },
    situation "row-of-one" { text = "a row has one element", fields.one },
    situation "row-past-1024" { text = "a row has more than 1024 elements", long(1025) },
    situation "row-permuted" { text = "the elements of a row of more than 32 are apart in memory", long(33),
      at_least(dims(tensor), 2), strides = { [tensor] = "permuted" } },
  }
  local function add(one) found[#found + 1] = one end
  if most_dims(tensor) >= 2 then
    add(situation "row-spikes" { fill = "spikes", long(257), rows,
      text = "the greatest element of a row is the first, the last, or next to the edge of a tile" })
  end
  if fields.outer and most_dims(tensor) >= 6 then
    add(situation "row-outermost" { text = "rows lie along the first of at least six dimensions",
      at_least(dims(tensor), 6), at_least(size(tensor, 0), 3), fields.outer })
  end
  if fields.whole then
    add(situation "row-broadcast" { text = "elements of a row share memory", fields.whole, at_least(size(tensor, -1), 3),
      strides = { [tensor] = "broadcast" } })
  end
  return found
end

-- Rows that deviate so little that Epsilon would hide it, were it not smaller. `divided`: conditions with which the
-- variance divides.
function words.small_deviation(divided)
  local tensor = first_field "input"
  return situation "deviation-small" { text = "elements deviate by less than 1/1000 from their mean, and Epsilon is smaller",
    fill = "small", values = { Epsilon = 0x1p-30 }, at_least(size(tensor, -1), 33), divided or {} }
end

-- The rows along a dimension of the first input, which a number names: -1 or an attribute. `several`: the operator has
-- Axes, whose first one this is.
function words.rows_along(axis, several)
  local tensor = first_field "input"
  local fields = { tensor = tensor, long = function(n) return at_least(size(tensor, axis), n) end,
    one = words.equal(size(tensor, axis), 1) }
  if several then
    fields.one = { words.equal(words.attr "AxisCount", 1), fields.one }
    fields.whole = words.equal(words.attr "AxisCount", dims(tensor))
  end
  if axis ~= -1 then fields.outer = words.equal(axis, 0) end
  return words.row_situations(fields)
end

return words, tools
