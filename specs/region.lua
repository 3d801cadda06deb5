-- Operators on regions of pictures: each region is cut into bins, and each bin gives one element of the output.

local X, ROI, Y = "InputTensor", "ROITensor", "OutputTensor"
local x = element(X)

-- Returns a size as a number of a formula.
local function as_number(size)
  return part(over { sizes = concat(size), fold = "sum", at = { [X] = filled(0, dims(X)) }, x }, "steps")
end

-- Returns entry `i` of the region of a place, whose first coordinate is the region's number.
local function entry_of_region(at, i)
  return over { sizes = concat(1), fold = "sum", element(ROI),
    at = { [ROI] = concat(filled(0, dims(ROI) - 2), entry(at, 0), i) } }
end

local function open(id, text, ruling, when, gives)
  return behaviour(id) { text = text, strength = "open", ruling = ruling, when = when, gives = gives or "anything" }
end

local function floats(sizes, values) return { "FLOAT32", sizes, values } end

-- Returns the contents of regions that begin in the picture or just before it. Few of them are reversed, and some go
-- past the picture. `batch`: the first entry of a region is the number of a batch.
local function regions(batch)
  local width, height = size(X, 3), size(X, 2)
  local from, to, parts = concat(-1, -1, -1, -1), concat(width, height, width, height), concat(4, 4, 4, 4)
  if batch then
    from, to, parts = concat(0, from), concat(size(X, 0) - 1, to), concat(1, parts)
  end
  return { grid(ROI) { from = from, to = to, parts = parts, spans = 2 } }
end

-- Situations of all of them. `rows`, `columns`: the numbers of bins.
local function region_situations(rows, columns)
  local inside = { at_least(size(X, 2), 5), at_least(size(X, 3), 5) }
  local count = size(ROI, -2)
  return {
    shape_situations(X),
    situation "batches" { text = "many regions are in several batches and channels", at_least(size(X, 0), 3),
      at_least(size(X, 1), 2), inside, at_least(count, 9), equal(rows, 2), equal(columns, 2) },
    situation "channels-past-tile" { text = "there are more than 64 channels, a prime number", equal(size(X, 1), 67),
      inside, at_least(count, 2), equal(rows, 2), equal(columns, 2) },
    situation "bins-apart" { text = "there are more columns than rows of bins", inside, equal(rows, 2),
      equal(columns, 3), at_least(count, 2) },
    situation "bins-apart-down" { text = "there are more rows than columns of bins", inside, equal(rows, 5),
      equal(columns, 2), at_least(count, 2) },
    situation "one-bin" { text = "each region is one bin", inside, equal(rows, 1), equal(columns, 1),
      at_least(count, 5) },
    situation "many-bins" { text = "there are more bins than elements of the picture", inside, equal(rows, 11),
      equal(columns, 13), at_least(count, 2) },
    situation "flat" { text = "the picture has one row", equal(size(X, 2), 1), at_least(size(X, 3), 9),
      equal(rows, 2), equal(columns, 3), at_least(count, 3) },
    situation "upright" { text = "the picture has one column", equal(size(X, 3), 1), at_least(size(X, 2), 9),
      equal(rows, 3), equal(columns, 2), at_least(count, 3) },
    situation "oblong" { text = "the picture has more columns than rows", equal(size(X, 2), 3), equal(size(X, 3), 17),
      equal(rows, 3), equal(columns, 3), at_least(count, 5) },
    situation "many-regions" { text = "there are more than 64 regions, a prime number", inside, equal(count, 67),
      equal(rows, 2), equal(columns, 2) },
    situation "regions-permuted" { text = "regions are in another order in memory", inside, at_least(count, 3),
      strides = { [ROI] = "permuted" } },
    situation "regions-padded" { text = "regions have gaps between them", inside, at_least(count, 3),
      strides = { [ROI] = "padded" } },
    situation "far-below" { text = "all elements are near -10000", fill = "far-below", inside, at_least(count, 3),
      equal(rows, 2), equal(columns, 2) },
    situation "special" { text = "elements are the extremes of their type, NaNs and infinities", fill = "special",
      inside, at_least(count, 3), equal(rows, 2), equal(columns, 2) },
  }
end

-- ---- ROI_POOLING

local width, height = entry(list "PooledSize", 0), entry(list "PooledSize", 1)

-- Returns first and last coordinate of the region of a place in dimension `d` of the picture, before they are rounded.
local function corners(at, d)
  local scale, i = attribute "SpatialScale", d == 3 and 1 or 2
  return entry_of_region(at, i) * scale, entry_of_region(at, i + 2) * scale
end

-- Returns the condition that the bin of a stage's place has the coordinate in dimension `d`. `bin`: which coordinate of
-- the stage counts bins. `edge`: a bin outside of the picture has the element at its edge.
local function in_bin(name, d, bin, round, edge)
  local first, last = corners(place(name), d)
  first, last = round(first), round(last)
  local length, count, b = max(last - first + 1, 1), as_number(size(Y, d)), coordinate(bin)
  local begin, past = first + floor(b * length / count), first + ceil((b + 1) * length / count)
  if edge then
    local size = as_number(size(X, d))
    begin = max(0, min(size - 1, begin))
    past = max(begin + 1, min(size, past))
  end
  return both(ge(coordinate(-1), begin), lt(coordinate(-1), past))
end

-- Makes two stages: 1 for each row of each batch that a row of bins has, and for each column that a column of bins has.
local function bins(rows, columns, round, edge)
  local batch = eq(coordinate(-2), entry_of_region(place(rows), 0))
  return stage(rows) { sizes = concat(size(ROI, -2), size(Y, 2), size(X, 0), size(X, 2)),
      both(batch, in_bin(rows, 2, -3, round, edge)) },
    stage(columns) { sizes = concat(size(ROI, -2), size(Y, 3), size(X, 3)), in_bin(columns, 3, -2, round, edge) }
end

-- Folds the elements of the input. `formula`: of `inside`, the condition that the bin has the element.
local function over_bin(rows, columns, fold, formula)
  local loop, at = concat(size(X, 0), slice(sizes(X), 2, 4)), place(Y)
  local t = step(loop)
  local region = entry(at, 0)
  return over { sizes = loop, fold = fold, formula(both(element(rows), element(columns))), at = {
    [X] = concat(entry(t, 0), entry(at, 1), entry(t, 1), entry(t, 2)),
    [rows] = concat(region, entry(at, 2), entry(t, 0), entry(t, 1)),
    [columns] = concat(region, entry(at, 3), entry(t, 2)) } }
end

local function count_of(rows, columns) return over_bin(rows, columns, "sum", function(inside) return inside end) end

local function greatest_in(rows, columns)
  local top = over_bin(rows, columns, "max", function(inside) return choose(inside, x, -inf) end)
  return choose(gt(count_of(rows, columns), 0), top, 0)
end

-- Returns a condition on a region: it holds if it holds for one of its four coordinates.
local function some_corner(condition)
  local left, right = corners(place(Y), 3)
  local top, bottom = corners(place(Y), 2)
  return either(either(condition(left), condition(right)), either(condition(top), condition(bottom)))
end

local function pooled(id, scale, rois, sizes, values, input)
  return example(id) { ruling = "E12, Z1", SpatialScale = scale, PooledSize = { sizes[4], sizes[3] }, [X] = input,
    [ROI] = floats({ 1, 1, #rois // 5, 5 }, rois), [Y] = floats(sizes, values) }
end

local function pooling()
  local page = "DML_ROI_POOLING"
  local value = greatest_in("rows", "columns")
  local even, edge = greatest_in("rows_even", "columns_even"), greatest_in("rows_edge", "columns_edge")
  local batch = entry_of_region(place(Y), 0)
  local left, right = corners(place(Y), 3)
  local top, bottom = corners(place(Y), 2)
  local nans = over_bin("rows_edge", "columns_edge", "sum", function(inside) return both(inside, is_nan(x)) end)
  local function is_near(p)
    local distance = abs(p - floor(p) - 0.5)
    return both(gt(distance, 0), lt(distance, 0x1p-22 * abs(p)))
  end
  local function list_of(...)
    local all = {}
    for _, two in ipairs { ... } do all[#all + 1], all[#all + 2] = two[1], two[2] end
    return all
  end
  local sixteen = {}
  for i = 0, 15 do sixteen[i + 1] = i end
  sixteen = floats({ 1, 1, 4, 4 }, sixteen)
  local planes = floats({ 2, 2, 1, 2 }, { 1, 2, 3, 4, 5, 6, 7, 8 })
  return operator "ROI_POOLING" {
    parameters = { { "d", dims(X) }, { "r", size(ROI, -2) } },
    rules = {
      rule "same-type" { same "DataType", page = page },
      rule "roi-sizes" { each(prefix(sizes(ROI), 2), 1, 1), equal(size(ROI, 3), 5), page = page },
      rule "output-sizes" { page = page,
        equal(sizes(Y), concat(size(ROI, 2), size(X, 1), height, width)),
        text = "OutputTensor.Sizes must be the number of regions, the channels, Height and Width of PooledSize" },
    },
    situations = { region_situations(height, width),
      situation "halved" { text = "coordinates are halved", values = { SpatialScale = 0.5 }, at_least(size(X, 2), 9),
        at_least(size(X, 3), 9), at_least(size(ROI, 2), 5), equal(height, 2), equal(width, 3) },
      situation "sixteenth" { text = "coordinates are those of a picture that is 16 times as large",
        values = { SpatialScale = 0.0625 }, at_least(size(X, 2), 5), at_least(size(X, 3), 9),
        at_least(size(ROI, 2), 5), equal(height, 2), equal(width, 3) },
      situation "scale-zero" { text = "SpatialScale is 0, so each region is one element",
        values = { SpatialScale = 0.0 }, at_least(size(X, 2), 3), at_least(size(ROI, 2), 3) },
      situation "scale-infinite" { text = "SpatialScale is infinite", values = { SpatialScale = inf } },
      situation "scale-nan" { text = "SpatialScale is a NaN", values = { SpatialScale = 0 / 0 } },
    },
    grids = regions(true),
    stages = list_of(table.pack(bins("rows", "columns", round_away)),
      table.pack(bins("rows_even", "columns_even", round_even)),
      table.pack(bins("rows_edge", "columns_edge", round_away, true))),
    results = { result(Y) { value } },
    domains = { [X] = { -8, 8 }, SpatialScale = { 0.25, 2, usual = 1 } },
    behaviours = {
      behaviour "greatest" { page = page, ruling = "Z1",
        text = "each element is the greatest element of its bin; the corners of a region, times SpatialScale, are " ..
          "rounded and belong to it, and bins are clamped to the picture" },
      open("rounding", "a coordinate between two elements may be rounded to the even one", "Z2", ne(value, even),
        { { "even", even } }),
      open("near-half", "a coordinate so near to the middle between two elements that a product in FLOAT32 may " ..
        "lie on its other side gives any value", "Z2", some_corner(is_near)),
      open("empty", "a bin outside of the picture may give its nearest element or the least number", "Z3",
        eq(count_of("rows", "columns"), 0),
        { { "edge", edge }, { "lowest", lowest }, { "infinite", -inf }, { "nan", nan } }),
      open("reversed", "a region whose last corner is before its first one may give any value", "Z3",
        either(lt(round_away(right), round_away(left)), lt(round_away(bottom), round_away(top)))),
      open("no-number", "a corner that is no number, or beyond 2^20, gives any value", "Z4",
        some_corner(function(p) return negated(le(abs(p), 0x1p20)) end)),
      open("batch", "a batch that is no whole number, or that the input has not, gives any value", "Z4",
        negated(both(eq(batch, floor(batch)), both(ge(batch, 0), lt(batch, as_number(size(X, 0))))))),
      open("nan", "a bin with a NaN gives any value", "W6", gt(nans, 0)),
      behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    },
    examples = {
      pooled("inside", 1, { 0, 0, 0, 2, 2 }, { 1, 1, 2, 2 }, { 5, 6, 9, 10 }, sixteen),
      pooled("off", 1, { 0, 1, 1, 3, 3 }, { 1, 1, 2, 2 }, { 10, 11, 14, 15 }, sixteen),
      pooled("outside", 1, { 0, 2, 2, 5, 5 }, { 1, 1, 2, 2 }, { 15, 0, 0, 0 }, sixteen),
      pooled("before", 1, { 0, -4, -2, 1, 1 }, { 1, 1, 2, 2 }, { 0, 0, 0, 5 }, sixteen),
      pooled("oblong", 1, { 0, 0, 1, 3, 2 }, { 1, 1, 1, 4 }, { 8, 9, 10, 11 }, sixteen),
      pooled("scaled", 0.5, { 0, 0, 2, 4, 6 }, { 1, 1, 3, 1 }, { 6, 10, 14 }, sixteen),
      pooled("rounded", 1, { 0, 0.75, 0.25, 2.25, 2.75 }, { 1, 1, 2, 1 }, { 6, 14 }, sixteen),
      pooled("half", 1, { 0, 0.5, 0, 3, 0 }, { 1, 1, 1, 4 }, { 1, 2, 3, 3 }, sixteen),
      pooled("batches", 1, { 1, 0, 0, 1, 0, 0, 1, 0, 1, 0 }, { 2, 2, 1, 1 }, { 6, 8, 2, 4 }, planes),
    },
  }
end

-- ---- ROI_ALIGN, ROI_ALIGN1

local B, slots = "BatchIndicesTensor", greatest(1, least(attr "MaximumSamplesPerOutput", 8))
local fewest, most_samples = attribute "MinimumSamplesPerOutput", attribute "MaximumSamplesPerOutput"

-- Returns the one element of a tensor or stage at these coordinates.
local function element_at(name, at)
  return over { sizes = concat(1), fold = "sum", at = { [name] = at }, element(name) }
end

-- Returns the first edge of the region of a place in dimension `d` of the picture, and the distance to its last edge.
local function span(at, d)
  local i, scale = d == 3 and 0 or 1, attribute(d == 3 and "SpatialScaleX" or "SpatialScaleY")
  local first = entry_of_region(at, i)
  return first * scale, (entry_of_region(at, i + 2) - first) * scale
end

-- Returns the number of samples that a bin would have if it were not limited.
local function wanted(at, d)
  local _, length = span(at, d)
  return length / as_number(size(Y, d))
end

-- Makes two stages: the number of samples of a bin of each region, and the coordinate of each sample, a NaN where there
-- is none. `offsets`: those of ROI_ALIGN1; `aligned`: nil, or its AlignRegionsToCorners.
local function samples(counts, name, d, offsets, aligned)
  local at = place(name)
  local first, length = span(at, d)
  local bin, k, all_bins = coordinate(-2), coordinate(-1), as_number(size(Y, d))
  local n = element_at(counts, slice(at, 0, 1))
  local s, total = bin * n + k - offsets.output, all_bins * n
  local along = s * length / total
  if aligned then
    along = choose(aligned, choose(eq(total, 1), length / 2, s * length / max(1, total - 1)), along)
  end
  return stage(counts) { sizes = concat(size(ROI, -2)),
      max(fewest, min(most_samples, ceil(wanted(place(counts), d)))) },
    stage(name) { sizes = concat(size(ROI, -2), size(Y, d), slots),
      choose(lt(k, n), along + first - offsets.input, nan) }
end

local mode, is_max = attribute "InterpolationMode", eq(attribute "ReductionFunction", 7)

-- Returns a coordinate that is moved to the edge of the picture.
local function within_picture(sample, d) return max(0, min(as_number(size(X, d)) - 1, sample)) end

-- Returns the first of the two elements around a sample; with NEAREST_NEIGHBOR, the nearest one.
local function first_of(sample, d)
  local at = within_picture(sample, d)
  return choose(eq(mode, 1), floor(at), floor(at + 0.5))
end

-- Makes a stage with the weights of the two elements around each sample. `along`: the stage of samples.
local function weights(name, along, d)
  local sample, second = element_at(along, slice(place(name), 0, 3)), coordinate(-1)
  local fraction = within_picture(sample, d) - first_of(sample, d)
  return stage(name) { sizes = concat(size(ROI, -2), size(Y, d), slots, 2),
    choose(eq(mode, 1), choose(second, fraction, 1 - fraction), 1 - second) }
end

-- Return the condition that a sample is outside of the picture; is_outside() allows for one element at each edge.
local function is_outside(sample, d) return either(lt(sample, -1), gt(sample, as_number(size(X, d)))) end
local function is_past_edge(sample, d) return either(lt(sample, 0), gt(sample, as_number(size(X, d)) - 1)) end

-- Makes two stages: batch, row and column of the first element around each sample of the output, and the value that is
-- interpolated between the four, for a sample outside of the picture at its edge.
local function interpolations()
  local each = concat(size(ROI, -2), size(Y, 2), slots, size(Y, 3), slots)
  local from, values, around = place "from", place "values", step(concat(2, 2))
  local function row_of(at) return concat(entry(at, 0), slice(at, 1, 3)) end
  local function column_of(at) return concat(entry(at, 0), slice(at, 3, 5)) end
  local batch = element_at(B, concat(filled(0, dims(B) - 1), entry(from, 0)))
  local of_values = concat(entry(values, 0), slice(values, 2, 6))
  local corner = gathered("from", of_values)
  local weight = element "down" * element "across"
  local value = over { sizes = concat(2, 2), fold = "sum", choose(gt(weight, 0), weight * x, 0), at = {
    [X] = concat(entry(corner, 0), entry(values, 1), slice(corner, 1, 3) + around),
    down = concat(row_of(of_values), entry(around, 0)), across = concat(column_of(of_values), entry(around, 1)) } }
  return {
    stage "from" { sizes = concat(each, 3), choose(eq(coordinate(-1), 0), batch, choose(eq(coordinate(-1), 1),
      first_of(element_at("rows", row_of(from)), 2), first_of(element_at("columns", column_of(from)), 3))) },
    stage "values" { sizes = concat(entry(each, 0), size(X, 1), slice(each, 1, 5)), value },
  }
end

-- Folds the samples of an element of the output.
local function over_samples(fold, formula, otherwise)
  local at, t = place(Y), step(concat(slots, slots))
  local given = both(negated(is_nan(element "rows")), negated(is_nan(element "columns")))
  return over { sizes = concat(slots, slots), fold = fold, choose(given, formula, otherwise), at = {
    rows = concat(entry(at, 0), entry(at, 2), entry(t, 0)),
    columns = concat(entry(at, 0), entry(at, 3), entry(t, 1)),
    values = concat(slice(at, 0, 3), entry(t, 0), entry(at, 3), entry(t, 1)) } }
end

-- Returns the condition that some sample of an element meets a condition in one of the dimensions.
local function some_sample(condition)
  return gt(over_samples("sum", either(condition(element "rows", 2), condition(element "columns", 3)), 0), 0)
end

local function aligned_example(id, rois, input, sizes, values, n, fields)
  local function otherwise(name, value) if fields[name] == nil then fields[name] = value end end
  fields[X], fields[ROI], fields[Y] = input, floats({ #rois // 4, 4 }, rois), floats(sizes, values)
  fields[B] = fields[B] or { "UINT32", { #rois // 4 }, { 0 } }
  fields.ruling, fields.MinimumSamplesPerOutput, fields.MaximumSamplesPerOutput = "E12, Z5", n, n
  otherwise("ReductionFunction", 2)
  otherwise("InterpolationMode", 1)
  otherwise("SpatialScaleX", 1)
  otherwise("SpatialScaleY", 1)
  otherwise("OutOfBoundsInputValue", 0)
  return example(id) (fields)
end

local function near(a, b) return lt(abs(a - b), 0x1p-18 * (1 + abs(a))) end

-- Returns the operator. `more`: what only ROI_ALIGN1 has, or nil.
local function align(name, more)
  local page = "DML_" .. name
  local offsets = more and { input = attribute "InputPixelOffset", output = attribute "OutputPixelOffset" } or
    { input = 0.5, output = -0.5 }
  local aligned = more and attribute "AlignRegionsToCorners"
  local count = over_samples("sum", 1, 0)
  -- Returns the result if samples that meet the condition are OutOfBoundsInputValue; nil: none is.
  local function result_with(outside)
    local one = element "values"
    if outside then
      one = choose(either(outside(element "rows", 2), outside(element "columns", 3)),
        attribute "OutOfBoundsInputValue", one)
    end
    return choose(is_max, over_samples("max", one, -inf), over_samples("sum", one, 0) / count)
  end
  local value = result_with(is_outside)
  local farthest = over_samples("max", max(abs(element "rows"), abs(element "columns")), 0)
  local high, low = greatest_of(X), least_of(X)
  local range = choose(eq(mode, 1), high - low, 0)
  local most = max(max(abs(high), abs(low)), abs(attribute "OutOfBoundsInputValue"))
  local function error_of(u)
    local interpolation = choose(eq(mode, 1), 16 * u * (1 + 2 * farthest) * range + 8 * u * most, 0)
    return interpolation + choose(is_max, 0, (count + 1) * u * max(most, smallest_normal)) +
      choose(both(is_max, eq(mode, 0)), 0, ulp(0.5))
  end
  local function is_open(d)
    local n = wanted(place(Y), d)
    local between = both(gt(n, fewest), lt(n, most_samples))
    return either(both(lt(fewest, most_samples), either(lt(n, 0), both(between, ne(n, floor(n))))),
      both(gt(most_samples, 8), gt(n, 8)))
  end
  local function not_a_number(d)
    local first, length = span(place(Y), d)
    return negated(both(lt(abs(first), 0x1p20), lt(abs(length), 0x1p20)))
  end
  local batch = element_at(B, concat(filled(0, dims(B) - 1), entry(place(Y), 0)))
  local ys = table.pack(samples("samples_y", "rows", 2, offsets, aligned))
  local xs = table.pack(samples("samples_x", "columns", 3, offsets, aligned))
  local last = interpolations()
  local inside = { at_least(size(X, 2), 5), at_least(size(X, 3), 5) }
  local function sampled(id, text, ...)
    return situation(id) { text = text, inside, at_least(size(ROI, -2), 3), equal(size(Y, 2), 2),
      equal(size(Y, 3), 3), ... }
  end
  local function constants(reduction, interpolation, n, highest)
    return equal(attr "ReductionFunction", reduction), equal(attr "InterpolationMode", interpolation),
      equal(attr "MinimumSamplesPerOutput", n), equal(attr "MaximumSamplesPerOutput", highest or n)
  end
  local hundred = {}
  for i = 0, 99 do hundred[i + 1] = i end
  hundred = floats({ 1, 1, 10, 10 }, hundred)
  local four, defaults = floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 }), more and function(fields)
    fields.InputPixelOffset, fields.OutputPixelOffset = fields.InputPixelOffset or 0.5, fields.OutputPixelOffset or -0.5
    fields.AlignRegionsToCorners = fields.AlignRegionsToCorners or false
    return fields
  end or function(fields) return fields end
  local examples = {
    aligned_example("onnx-3428", { 1, 1, 3, 3 }, hundred, { 1, 1, 4, 4 }, { 8.25, 8.75, 9.25, 9.75, 13.25, 13.75, 14.25,
      14.75, 18.25, 18.75, 19.25, 19.75, 23.25, 23.75, 24.25, 24.75 }, 1, defaults {}),
    aligned_example("mirrored", { 2, 0, 0, 2 }, four, { 1, 1, 2, 2 }, { 2, 1, 4, 3 }, 1, defaults {}),
    aligned_example("average", { 0, 0, 2, 2 }, four, { 1, 1, 1, 1 }, { 2.5 }, 2, defaults {}),
    aligned_example("maximum", { 0, 0, 2, 2 }, four, { 1, 1, 1, 1 }, { 4 }, 2, defaults { ReductionFunction = 7 }),
    aligned_example("point", { 1, 1.25, 1, 1.25 }, four, { 1, 1, 1, 2 }, { 3, 3 }, 2, defaults {}),
    aligned_example("nearest", { 0, 0, 2, 2 }, four, { 1, 1, 2, 2 }, { 1, 2, 3, 4 }, 1,
      defaults { InterpolationMode = 0 }),
    aligned_example("batches", { 0, 0, 1, 1, 0, 0, 1, 1 }, floats({ 2, 1, 1, 1 }, { 5, 7 }), { 2, 1, 1, 1 }, { 7, 5 },
      1, defaults { [B] = { "UINT32", { 2 }, { 1, 0 } } }),
    aligned_example("scaled", { 8, 16, 24, 32 }, hundred, { 1, 1, 1, 1 }, { 28.5 }, 2,
      defaults { SpatialScaleX = 0.25, SpatialScaleY = 0.125 }),
  }
  if more then
    -- what DirectML gave, by the list of ONNX Runtime's tests
    local planes = {}
    for i = 0, 74 do planes[i + 1] = i end
    local function observed(label, rows, of_first_plane)
      local values, some = {}, #of_first_plane
      for i = 0, 36 * some - 1 do values[i + 1] = of_first_plane[i // 36 + 1] + 25 * (i // 12 % 3) end
      local batches = {}
      for i = 1, some do batches[i] = 0 end
      examples[#examples + 1] = aligned_example(label, rows, floats({ 1, 3, 5, 5 }, planes), { some, 3, 3, 4 },
        values, 2, defaults { SpatialScaleX = 0.0625, SpatialScaleY = 0.0625, InputPixelOffset = 0,
          [B] = { "UINT32", { some }, batches } })
    end
    observed("observed", { 7, 5, 7, 5, 13, 8, 13, 8 }, { 2, 3.3125 })
    observed("outside", { -15, -15, -15, -15, -10, 21, -10, 21, -14, 19, -14, 19 }, { 0, 6.5625, 5.9375 })
    examples[#examples + 1] = aligned_example("corners", { 0, 0, 1, 1 }, four, { 1, 1, 3, 3 },
      { 1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4 }, 1,
      defaults { InputPixelOffset = 0, OutputPixelOffset = 0, AlignRegionsToCorners = true })
  end
  return operator(name) {
    groups = { "data", "index" },
    parameters = { { "d", dims(X) }, { "r", size(ROI, -2) } },
    rules = {
      rule "same-type" { same "DataType", page = page },
      rule "roi-sizes" { equal(size(ROI, -1), 4), each(prefix(sizes(ROI), dims(ROI) - 2), 1, 1), page = page },
      rule "batch-indices-sizes" { equal(size(B, -1), size(ROI, -2)), each(prefix(sizes(B), dims(B) - 1), 1, 1),
        page = page },
      rule "output-sizes" { equal(size(Y, 0), size(ROI, -2)), equal(size(Y, 1), size(X, 1)), page = page },
      rule "reduction" { one_of(attr "ReductionFunction", { 2, 7 }), page = page },
      rule "mode" { one_of(attr "InterpolationMode", { 0, 1 }), page = page },
      rule "samples" { at_least(attr "MinimumSamplesPerOutput", 1),
        at_least(attr "MaximumSamplesPerOutput", attr "MinimumSamplesPerOutput"), strength = "soft", ruling = "Z6" },
    },
    situations = { region_situations(size(Y, 2), size(Y, 3)),
      sampled("average", "the average of 3 by 3 samples", constants(2, 1, 3)),
      sampled("maximum", "the maximum of 2 by 2 samples", constants(7, 1, 2)),
      sampled("nearest", "NEAREST_NEIGHBOR, and the average", constants(2, 0, 2)),
      sampled("nearest-maximum", "NEAREST_NEIGHBOR, and the maximum", constants(7, 0, 2)),
      sampled("one-sample", "each bin has one sample", constants(2, 1, 1)),
      situation "many-samples" { text = "bins are so large that MaximumSamplesPerOutput limits their samples",
        equal(size(X, 2), 23), equal(size(X, 3), 19), equal(size(X, 1), 1), at_least(size(ROI, -2), 9),
        equal(size(Y, 2), 2), equal(size(Y, 3), 1), constants(2, 1, 1), pairs = true },
      situation "few-samples" { text = "bins are so small that MinimumSamplesPerOutput decides their samples", inside,
        equal(size(X, 1), 1), at_least(size(ROI, -2), 5), equal(size(Y, 2), 3), equal(size(Y, 3), 1),
        constants(2, 1, 3), pairs = true },
      sampled("adaptive", "the number of samples follows from the region", constants(2, 1, 1, 0xffffffff)),
    },
    indices = { index(B) { into = concat(size(X, 0)) } },
    grids = regions(false),
    domains = { [X] = { -8, 8 }, SpatialScaleX = { 0.25, 2, usual = 1 }, SpatialScaleY = { 0.25, 2, usual = 1 },
      OutOfBoundsInputValue = { -8, 8, usual = 0 }, MinimumSamplesPerOutput = { 1, 3, usual = 2 },
      MaximumSamplesPerOutput = { 1, 3, usual = 2 }, InputPixelOffset = more and { -1, 1, usual = 0.5 } or nil,
      OutputPixelOffset = more and { -1, 1, usual = -0.5 } or nil },
    stages = { ys[1], ys[2], xs[1], xs[2], weights("down", "rows", 2), weights("across", "columns", 3), last[1],
      last[2] },
    results = { result(Y) { value, FLOAT32 = error_of(0x1p-24),
      FLOAT16 = { soft = error_of(0x1p-24), must = error_of(0x1p-11) } } },
    behaviours = {
      behaviour "aligns" { page = page, ruling = "Z5",
        text = "each element is the average or the maximum of samples at even distances in its bin; a sample is " ..
          "interpolated between the elements around it" },
      behaviour "edge" { strength = "soft", ruling = "Z7", when = some_sample(is_past_edge),
        gives = { { "edge", result_with() }, { "outside", result_with(is_past_edge) } },
        text = "a sample up to 1 outside of the picture takes the elements at its edge, one farther away is " ..
          "OutOfBoundsInputValue" },
      open("bound", "a sample that is 1 outside of the picture may count as inside or outside", "Z7",
        some_sample(function(s, d) return either(near(s, -1), near(s, as_number(size(X, d)))) end)),
      open("half", "NEAREST_NEIGHBOR: a sample in the middle between two elements may take any of them", "Z8",
        both(eq(mode, 0), some_sample(function(s) return near(s - floor(s), 0.5) end))),
      open("count", "a number of samples that is no whole number, or above 8, gives any value", "Z6",
        either(is_open(2), is_open(3))),
      open("no-number", "an edge of a region that is no number, or beyond 2^20, gives any value", "Z4",
        either(not_a_number(2), not_a_number(3))),
      open("batch", "a batch that the input has not gives any value", "Z4", ge(batch, as_number(size(X, 0)))),
      open("not-finite", "if an element is not finite, any value is right", "U2",
        negated(both(le(abs(high), largest), le(abs(low), largest)))),
      open("range", "where the difference of two elements is beyond the type, any value is right", "S3",
        negated(le(most + high - low, largest))),
      behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    },
    examples = examples,
  }
end

return { pooling(), align("ROI_ALIGN"), align("ROI_ALIGN1", true) }
