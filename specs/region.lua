-- Operators on regions of pictures: each region is cut into bins, and each bin gives one element of the output.

local X, ROI, Y = "InputTensor", "ROITensor", "OutputTensor"
local x = element(X)

-- Returns a size as a number of a formula.
local function as_number(size)
  return part(over { sizes = concat(size), fold = "sum", at = { [ROI] = filled(0, dims(ROI)) }, element(ROI) }, "steps")
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
-- past the picture. `height`, `width`: those of the picture. `batch`: the first entry of a region is the number of a
-- batch.
local function regions(height, width, batch)
  local from, to, parts = concat(-1, -1, -1, -1), concat(width, height, width, height), concat(4, 4, 4, 4)
  if batch then
    from, to, parts = concat(0, from), concat(size(X, 0) - 1, to), concat(1, parts)
  end
  return { grid(ROI) { from = from, to = to, parts = parts, spans = 2 } }
end

-- Situations of all of them. `picture`: the tensor of the picture. `rows`, `columns`: the numbers of bins. `also`:
-- conditions with which these may be any. `channels`: their number, if another tensor decides it.
local function region_situations(picture, rows, columns, also, channels)
  local count = size(ROI, -2)
  local inside = { also or {}, at_least(size(picture, 2), 5), at_least(size(picture, 3), 5) }
  return {
    shape_situations(picture, { also = also }),
    situation "batches" { text = "many regions are in several batches and channels", inside,
      at_least(size(picture, 0), 3), at_least(size(picture, 1), 2), at_least(count, 9), equal(rows, 2),
      equal(columns, 2) },
    situation "channels-past-tile" { text = "there are more than 64 channels, a prime number", inside,
      equal(channels or size(picture, 1), 67), at_least(count, 2), equal(rows, 2), equal(columns, 2) },
    situation "bins-apart" { text = "there are more columns than rows of bins", inside, equal(rows, 2),
      equal(columns, 3), at_least(count, 2) },
    situation "bins-apart-down" { text = "there are more rows than columns of bins", inside, equal(rows, 5),
      equal(columns, 2), at_least(count, 2) },
    situation "one-bin" { text = "each region is one bin", inside, equal(rows, 1), equal(columns, 1),
      at_least(count, 5) },
    situation "many-bins" { text = "there are more bins than elements of the picture", inside, equal(rows, 11),
      equal(columns, 13), at_least(count, 2) },
    situation "flat" { text = "the picture has one row", also or {}, equal(size(picture, 2), 1),
      at_least(size(picture, 3), 9), equal(rows, 2), equal(columns, 3), at_least(count, 3) },
    situation "upright" { text = "the picture has one column", also or {}, equal(size(picture, 3), 1),
      at_least(size(picture, 2), 9), equal(rows, 3), equal(columns, 2), at_least(count, 3) },
    situation "oblong" { text = "the picture has more columns than rows", also or {}, equal(size(picture, 2), 3),
      equal(size(picture, 3), 17), equal(rows, 3), equal(columns, 3), at_least(count, 5) },
    situation "many-regions" { text = "there are more than 64 regions, a prime number", inside, equal(count, 67),
      equal(rows, 2), equal(columns, 2) },
    situation "regions-permuted" { text = "regions are in another order in memory", inside, at_least(count, 3),
      strides = { [ROI] = "permuted" } },
    situation "regions-padded" { text = "regions have gaps between them", inside, at_least(count, 3),
      strides = { [ROI] = "padded" } },
    situation "far-below" { text = "all elements are near -10000", fill = "far-below", inside, at_least(count, 3),
      equal(rows, 2), equal(columns, 2) },
    situation "ends" { text = "all elements are one infinity", fill = "least greatest", inside, at_least(count, 3),
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
local function pooled_bins(rows, columns, round, edge)
  local batch = eq(coordinate(-2), entry_of_region(place(rows), 0))
  return stage(rows) { sizes = concat(size(ROI, -2), size(Y, 2), size(X, 0), size(X, 2)),
      both(batch, in_bin(rows, 2, -3, round, edge)) },
    stage(columns) { sizes = concat(size(ROI, -2), size(Y, 3), size(X, 3)), in_bin(columns, 3, -2, round, edge) }
end

-- Folds the elements of the input. `formula`: of `inside`, the condition that the bin has the element.
local function over_pooled(rows, columns, fold, formula)
  local loop, at = concat(size(X, 0), slice(sizes(X), 2, 4)), place(Y)
  local t = step(loop)
  local region = entry(at, 0)
  return over { sizes = loop, fold = fold, formula(both(element(rows), element(columns))), at = {
    [X] = concat(entry(t, 0), entry(at, 1), entry(t, 1), entry(t, 2)),
    [rows] = concat(region, entry(at, 2), entry(t, 0), entry(t, 1)),
    [columns] = concat(region, entry(at, 3), entry(t, 2)) } }
end

local function count_of(rows, columns) return over_pooled(rows, columns, "sum", function(inside) return inside end) end

local function greatest_in(rows, columns)
  local top = over_pooled(rows, columns, "max", function(inside) return choose(inside, x, -inf) end)
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
  local nans = over_pooled("rows_edge", "columns_edge", "sum", function(inside) return both(inside, is_nan(x)) end)
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
    situations = { region_situations(X, height, width),
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
    grids = regions(size(X, 2), size(X, 3), true),
    stages = list_of(table.pack(pooled_bins("rows", "columns", round_away)),
      table.pack(pooled_bins("rows_even", "columns_even", round_even)),
      table.pack(pooled_bins("rows_edge", "columns_edge", round_away, true))),
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

-- ---- ROI_ALIGN, ROI_ALIGN1 and ROI_ALIGN_GRAD

local B, slots = "BatchIndicesTensor", greatest(1, least(attr "MaximumSamplesPerOutput", 8))
local fewest, most_samples = attribute "MinimumSamplesPerOutput", attribute "MaximumSamplesPerOutput"
local mode, is_max = attribute "InterpolationMode", eq(attribute "ReductionFunction", 7)

-- The samples of an operator lie in the bins of a tensor, `bins`, and in a picture with the size `size_of(d)` in
-- dimension d. `offsets`, `aligned`: those of ROI_ALIGN1; ROI_ALIGN has no AlignRegionsToCorners.
local function sampling(bins, size_of, offsets, aligned)
  return { bins = bins, offsets = offsets, aligned = aligned,
    count = function(d) return as_number(size(bins, d)) end,
    picture = function(d) return as_number(size_of(d)) end }
end

-- Returns the one element of a tensor or stage at these coordinates.
local function element_at(name, at)
  return over { sizes = concat(1), fold = "sum", at = { [name] = at }, element(name) }
end

local function scale_of(d) return attribute(d == 3 and "SpatialScaleX" or "SpatialScaleY") end

-- Returns the first edge of the region of a place in dimension `d` of the picture, and the distance to its last edge.
local function span(at, d)
  local i, scale = d == 3 and 0 or 1, scale_of(d)
  local first = entry_of_region(at, i)
  return first * scale, (entry_of_region(at, i + 2) - first) * scale
end

-- Returns the number of samples that a bin would have if it were not limited.
local function wanted(of, at, d)
  local _, length = span(at, d)
  return length / of.count(d)
end

-- Returns the distance of sample `k` of a bin from the edge of its region, whose bins have `n` samples each.
local function distance(of, d, n, bin, k, length)
  local all_bins = of.count(d)
  local s, total = bin * n + k - of.offsets.output, all_bins * n
  local along = s * length / total
  if of.aligned then
    along = choose(of.aligned, choose(eq(total, 1), length / 2, s * length / max(1, total - 1)), along)
  end
  return along
end

-- Makes two stages: the number of samples of a bin of each region, and the coordinate of each sample, a NaN where there
-- is none.
local function samples(of, counts, name, d)
  local at = place(name)
  local first, length = span(at, d)
  local bin, k, n = coordinate(-2), coordinate(-1), element_at(counts, slice(at, 0, 1))
  local along = distance(of, d, n, bin, k, length)
  return stage(counts) { sizes = concat(size(ROI, -2)),
      max(fewest, min(most_samples, ceil(wanted(of, place(counts), d)))) },
    stage(name) { sizes = concat(size(ROI, -2), size(of.bins, d), slots),
      choose(lt(k, n), along + first - of.offsets.input, nan) }
end

-- Returns a coordinate that is moved to the edge of the picture.
local function within_picture(of, sample, d) return max(0, min(of.picture(d) - 1, sample)) end

-- Returns the first of the two elements around a sample; with NEAREST_NEIGHBOR, the nearest one.
local function first_of(of, sample, d)
  local at = within_picture(of, sample, d)
  return choose(eq(mode, 1), floor(at), floor(at + 0.5))
end

-- Makes a stage with the weights of the two elements around each sample. `along`: the stage of samples. `slopes`: for
-- each sample, the derivatives of the weights follow, 0 where the sample is at an element or moved to the edge.
local function weights(of, name, along, d, slopes)
  local sample, second = element_at(along, slice(place(name), 0, 3)), coordinate(-1)
  local fraction = within_picture(of, sample, d) - first_of(of, sample, d)
  local weight = choose(eq(mode, 1), choose(second, fraction, 1 - fraction), 1 - second)
  if not slopes then return stage(name) { sizes = concat(size(ROI, -2), size(of.bins, d), slots, 2), weight } end
  local slope = choose(gt(fraction, 0), choose(second, 1, -1), 0)
  return stage(name) { sizes = concat(size(ROI, -2), size(of.bins, d), slots, 2, 2),
    choose(coordinate(-2), slope, weight) }
end

-- Return the condition that a sample is outside of the picture; is_outside() allows for one element at each edge.
local function is_outside(of, sample, d) return either(lt(sample, -1), gt(sample, of.picture(d))) end
local function is_past_edge(of, sample, d) return either(lt(sample, 0), gt(sample, of.picture(d) - 1)) end

-- Return the coordinates of a sample's row and column, for the coordinates of the sample: region, row of bins, sample,
-- column of bins, sample.
local function row_of(at) return concat(entry(at, 0), slice(at, 1, 3)) end
local function column_of(at) return concat(entry(at, 0), slice(at, 3, 5)) end

-- Makes a stage with batch, row and column of the first element around each sample of the bins.
local function corners_of_samples(of)
  local from = place "from"
  local batch = element_at(B, concat(filled(0, dims(B) - 1), entry(from, 0)))
  return stage "from" { sizes = concat(size(ROI, -2), size(of.bins, 2), slots, size(of.bins, 3), slots, 3),
    choose(eq(coordinate(-1), 0), batch, choose(eq(coordinate(-1), 1),
      first_of(of, element_at("rows", row_of(from)), 2), first_of(of, element_at("columns", column_of(from)), 3))) }
end

-- Returns the sizes of a stage with an element for each sample of each channel.
local function for_samples(of)
  return concat(size(ROI, -2), size(of.bins, 1), size(of.bins, 2), slots, size(of.bins, 3), slots)
end

-- Returns the sum of the four elements around the sample of a channel at these coordinates, times weights; a sample
-- outside of the picture is at its edge. `down`, `across`: with slopes, which number of each element is its weight.
local function interpolated(values, down, across)
  local around = step(concat(2, 2))
  local of_values = concat(entry(values, 0), slice(values, 2, 6))
  local corner, weight = gathered("from", of_values), element "down" * element "across"
  local function share(at, which, i)
    return which and concat(at, which, entry(around, i)) or concat(at, entry(around, i))
  end
  return over { sizes = concat(2, 2), fold = "sum", choose(ne(weight, 0), weight * x, 0), at = {
    [X] = concat(entry(corner, 0), entry(values, 1), slice(corner, 1, 3) + around),
    down = share(row_of(of_values), down, 0), across = share(column_of(of_values), across, 1) } }
end

-- Makes two stages: the places of the elements around each sample, and the values that are interpolated between them.
local function interpolations(of)
  return { corners_of_samples(of), stage "values" { sizes = for_samples(of), interpolated(place "values") } }
end

-- Folds the samples of the bin at these coordinates: region, channel, row and column of bins. `more.slips`: the formula
-- names bounds of the errors of coordinates, too. `more.last`: 1 if the last of equal samples counts.
local function over_samples(at, fold, formula, otherwise, more)
  local t = step(concat(slots, slots))
  local given = both(negated(is_nan(element "rows")), negated(is_nan(element "columns")))
  local row, column = concat(entry(at, 0), entry(at, 2), entry(t, 0)), concat(entry(at, 0), entry(at, 3), entry(t, 1))
  local places = { rows = row, columns = column,
    values = concat(slice(at, 0, 3), entry(t, 0), entry(at, 3), entry(t, 1)) }
  if more and more.slips then places.row_facts, places.column_facts = concat(0, row), concat(0, column) end
  return over { sizes = concat(slots, slots), fold = fold, last = more and more.last,
    choose(given, formula, otherwise), at = places }
end

-- Returns the condition that some sample of a bin meets a condition in one of the dimensions.
local function some_sample(of, at, condition)
  local rows, columns = condition(of, element "rows", 2), condition(of, element "columns", 3)
  return gt(over_samples(at, "sum", either(rows, columns), 0), 0)
end

local function aligned_example(id, rois, input, sizes, values, n, fields)
  local function usual(name, value) if fields[name] == nil then fields[name] = value end end
  fields[X], fields[ROI], fields[Y] = input, floats({ #rois // 4, 4 }, rois), floats(sizes, values)
  fields[B] = fields[B] or { "UINT32", { #rois // 4 }, { 0 } }
  fields.ruling, fields.MinimumSamplesPerOutput, fields.MaximumSamplesPerOutput = "E12, Z5", n, n
  usual("ReductionFunction", 2)
  usual("InterpolationMode", 1)
  usual("SpatialScaleX", 1)
  usual("SpatialScaleY", 1)
  usual("OutOfBoundsInputValue", 0)
  return example(id) (fields)
end

-- Situations of samples. `picture`: the tensor of the picture; `bins`: the one with an element for each bin. `tall`,
-- `wide`: the sizes of a picture with large bins.
local function sampling_situations(picture, bins, tall, wide, also)
  local inside = { also or {}, at_least(size(picture, 2), 5), at_least(size(picture, 3), 5) }
  local function sampled(id, text, ...)
    return situation(id) { text = text, inside, at_least(size(ROI, -2), 3), equal(size(bins, 2), 2),
      equal(size(bins, 3), 3), ... }
  end
  local function constants(reduction, interpolation, n, highest)
    return equal(attr "ReductionFunction", reduction), equal(attr "InterpolationMode", interpolation),
      equal(attr "MinimumSamplesPerOutput", n), equal(attr "MaximumSamplesPerOutput", highest or n)
  end
  return {
    sampled("average", "the average of 3 by 3 samples", constants(2, 1, 3)),
    sampled("maximum", "the maximum of 2 by 2 samples", constants(7, 1, 2)),
    sampled("nearest", "NEAREST_NEIGHBOR, and the average", constants(2, 0, 2)),
    sampled("nearest-maximum", "NEAREST_NEIGHBOR, and the maximum", constants(7, 0, 2)),
    sampled("one-sample", "each bin has one sample", constants(2, 1, 1)),
    situation "many-samples" { text = "bins are so large that MaximumSamplesPerOutput limits their samples",
      also or {}, equal(size(picture, 2), tall), equal(size(picture, 3), wide), equal(size(picture, 1), 1),
      at_least(size(ROI, -2), 9), equal(size(bins, 2), 2), equal(size(bins, 3), 1), constants(2, 1, 1), pairs = true },
    situation "few-samples" { text = "bins are so small that MinimumSamplesPerOutput decides their samples", inside,
      equal(size(picture, 1), 1), at_least(size(ROI, -2), 5), equal(size(bins, 2), 3), equal(size(bins, 3), 1),
      constants(2, 1, 3), pairs = true },
    sampled("adaptive", "the number of samples follows from the region", constants(2, 1, 1, 0xffffffff)),
  }
end

-- The rules of all operators with samples. `sizes_of_bins`: those of sizes of bins. `types`: more conditions on types.
local function align_rules(page, sizes_of_bins, types)
  return {
    rule "same-type" { same "DataType", types or {}, page = page },
    rule "roi-sizes" { equal(size(ROI, -1), 4), each(prefix(sizes(ROI), dims(ROI) - 2), 1, 1), page = page },
    rule "batch-indices-sizes" { equal(size(B, -1), size(ROI, -2)), each(prefix(sizes(B), dims(B) - 1), 1, 1),
      page = page },
    sizes_of_bins,
    rule "reduction" { one_of(attr "ReductionFunction", { 2, 7 }), page = page },
    rule "mode" { one_of(attr "InterpolationMode", { 0, 1 }), page = page },
    rule "samples" { at_least(attr "MinimumSamplesPerOutput", 1),
      at_least(attr "MaximumSamplesPerOutput", attr "MinimumSamplesPerOutput"), strength = "soft", ruling = "Z6" },
  }
end

-- The ranges of attributes, and of elements, that ordinary cases have. `more`: the operator has offsets.
local function sampling_domains(more)
  local found = { [X] = { -8, 8 }, SpatialScaleX = { 0.25, 2, usual = 1 }, SpatialScaleY = { 0.25, 2, usual = 1 },
    MinimumSamplesPerOutput = { 1, 3, usual = 2 }, MaximumSamplesPerOutput = { 1, 3, usual = 2 } }
  if more then
    found.InputPixelOffset, found.OutputPixelOffset = { -1, 1, usual = 0.5 }, { -1, 1, usual = -0.5 }
  end
  return found
end

-- Returns the condition that the number of samples of a bin is open.
local function is_open(of, at, d)
  local n = wanted(of, at, d)
  local between = both(gt(n, fewest), lt(n, most_samples))
  return either(both(lt(fewest, most_samples), either(lt(n, 0), both(between, ne(n, floor(n))))),
    gt(max(fewest, min(most_samples, n)), 8))
end

-- Returns the condition that an edge of a region is no number, or far outside of every picture, or that a coordinate is
-- no number: the region has no length and OutputPixelOffset is infinite, or both offsets are.
local function not_a_number(of, at, d)
  local first, length = span(at, d)
  local moved, input = of.offsets.output * length, of.offsets.input
  local overflows = both(eq(abs(input), inf), gt(abs(moved), 0x1p126))
  return either(negated(both(lt(abs(first), 0x1p20), lt(abs(length), 0x1p20))),
    either(is_nan(moved + input), overflows))
end

local function near(a, b) return lt(abs(a - b), 0x1p-18 * (1 + abs(a))) end

-- Returns the operator. `more`: what only ROI_ALIGN1 has, or nil.
local function align(name, more)
  local page = "DML_" .. name
  local offsets = more and { input = attribute "InputPixelOffset", output = attribute "OutputPixelOffset" } or
    { input = 0.5, output = -0.5 }
  local of = sampling(Y, function(d) return size(X, d) end, offsets, more and attribute "AlignRegionsToCorners")
  local function over_bin(fold, formula, otherwise) return over_samples(place(Y), fold, formula, otherwise) end
  local function some(condition) return some_sample(of, place(Y), condition) end
  local count = over_bin("sum", 1, 0)
  -- Returns the result if samples that meet the condition are OutOfBoundsInputValue; nil: none is.
  local function result_with(outside)
    local one = element "values"
    if outside then
      one = choose(either(outside(of, element "rows", 2), outside(of, element "columns", 3)),
        attribute "OutOfBoundsInputValue", one)
    end
    return choose(is_max, over_bin("max", one, -inf), over_bin("sum", one, 0) / count)
  end
  local value = result_with(is_outside)
  local farthest = over_bin("max", max(abs(element "rows"), abs(element "columns")), 0)
  local high, low = greatest_of(X), least_of(X)
  local range = choose(eq(mode, 1), high - low, 0)
  local most = max(max(abs(high), abs(low)), abs(attribute "OutOfBoundsInputValue"))
  local function error_of(u)
    local interpolation = choose(eq(mode, 1), 16 * u * (1 + 2 * farthest) * range + 8 * u * most, 0)
    return interpolation + choose(is_max, 0, (count + 1) * u * max(most, smallest_normal)) +
      choose(both(is_max, eq(mode, 0)), 0, ulp(0.5))
  end
  local batch = element_at(B, concat(filled(0, dims(B) - 1), entry(place(Y), 0)))
  local ys = table.pack(samples(of, "samples_y", "rows", 2))
  local xs = table.pack(samples(of, "samples_x", "columns", 3))
  local last, domains = interpolations(of), sampling_domains(more)
  domains.OutOfBoundsInputValue = { -8, 8, usual = 0 }
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
      local values, many = {}, #of_first_plane
      for i = 0, 36 * many - 1 do values[i + 1] = of_first_plane[i // 36 + 1] + 25 * (i // 12 % 3) end
      local batches = {}
      for i = 1, many do batches[i] = 0 end
      examples[#examples + 1] = aligned_example(label, rows, floats({ 1, 3, 5, 5 }, planes), { many, 3, 3, 4 },
        values, 2, defaults { SpatialScaleX = 0.0625, SpatialScaleY = 0.0625, InputPixelOffset = 0,
          [B] = { "UINT32", { many }, batches } })
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
    rules = align_rules(page, {
      rule "output-sizes" { equal(size(Y, 0), size(ROI, -2)), equal(size(Y, 1), size(X, 1)), page = page } }),
    situations = { region_situations(X, size(Y, 2), size(Y, 3)), sampling_situations(X, Y, 23, 19) },
    indices = { index(B) { into = concat(size(X, 0)) } },
    grids = regions(size(X, 2), size(X, 3)),
    domains = domains,
    stages = { ys[1], ys[2], xs[1], xs[2], weights(of, "down", "rows", 2), weights(of, "across", "columns", 3), last[1],
      last[2] },
    results = { result(Y) { value, FLOAT32 = error_of(0x1p-24),
      FLOAT16 = { soft = error_of(0x1p-24), must = error_of(0x1p-11) } } },
    behaviours = {
      behaviour "aligns" { page = page, ruling = "Z5",
        text = "each element is the average or the maximum of samples at even distances in its bin; a sample is " ..
          "interpolated between the elements around it" },
      behaviour "edge" { strength = "soft", ruling = "Z7", when = some(is_past_edge),
        gives = { { "edge", result_with() }, { "outside", result_with(is_past_edge) } },
        text = "a sample up to 1 outside of the picture takes the elements at its edge, one farther away is " ..
          "OutOfBoundsInputValue" },
      open("bound", "a sample that is 1 outside of the picture may count as inside or outside", "Z7",
        some(function(_, s, d) return either(near(s, -1), near(s, of.picture(d))) end)),
      open("half", "NEAREST_NEIGHBOR: a sample in the middle between two elements may take any of them", "Z8",
        both(eq(mode, 0), some(function(_, s) return near(s - floor(s), 0.5) end))),
      open("count", "a number of samples that is no whole number, or above 8, gives any value", "Z6",
        either(is_open(of, place(Y), 2), is_open(of, place(Y), 3))),
      open("no-number", "an edge or a coordinate that is no number, or an edge beyond 2^20, gives any value", "Z4",
        either(not_a_number(of, place(Y), 2), not_a_number(of, place(Y), 3))),
      open("batch", "a batch that the input has not gives any value", "Z4", ge(batch, as_number(size(X, 0)))),
      open("not-finite", "if an element is not finite, or MAX meets an OutOfBoundsInputValue that is a NaN, any value " ..
        "is right", "U2", either(negated(both(le(abs(high), largest), le(abs(low), largest))),
        both(is_max, both(is_nan(attribute "OutOfBoundsInputValue"), some(is_past_edge))))),
      open("range", "where the difference of two elements is beyond the type, any value is right", "S3",
        negated(le(most + high - low, largest))),
      behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    },
    examples = examples,
  }
end

-- ---- ROI_ALIGN_GRAD

local dY, dX, dR = "InputGradientTensor", "OutputGradientTensor", "OutputROIGradientTensor"

-- Unit roundoffs: that of FLOAT32 and, if elements are FLOAT16, that of FLOAT16.
local units <const>, unit_count = { 0x1p-24, 0x1p-11 }, 1 + is(data_type(dY), 2)

local linear = eq(mode, 1)

local function is_whole(a) return eq(a, floor(a)) end

-- Returns the condition that a number has few digits, so that sums and products of such numbers are exact in FLOAT32.
local function is_short(a) return both(is_whole(0x1p10 * a), lt(abs(a), 0x1p11)) end

-- The numbers of a sample in a dimension: the bounds on the error of its coordinate, for each unit; its rate, which is
-- its growth with the first edge of the region; a bound on that; and the bound if an error of the coordinate may move
-- the sample across an element, otherwise 0. Two numbers behind each of the last three is that of the last edge.
local SLIP <const>, RATE <const>, RATE_BOUND <const>, RATE_DOUBTED <const>, FACTS <const> = 0, 2, 3, 6, 9

-- Makes a stage of them. A device computes some coordinates exactly. It may subtract the edges of a region before or
-- after it scales them.
local function facts(of, name, counts, along, d)
  local at, which, bin, k = slice(place(name), 1, 4), coordinate(-4), coordinate(-2), coordinate(-1)
  local n, i, scale = element_at(counts, slice(at, 0, 1)), d == 3 and 0 or 1, scale_of(d)
  local first, last = entry_of_region(at, i) * scale, entry_of_region(at, i + 2) * scale
  local s, all = bin * n + k - of.offsets.output, of.count(d) * n
  local computed = distance(of, d, n, bin, k, last - first) + first - of.offsets.input
  local exact = is_whole(0x1p20 / choose(of.aligned, max(1, all - 1), all))
  for _, one in ipairs { first, last, s, of.offsets.input, s * (last - first), computed } do
    exact = both(exact, is_short(one))
  end
  exact = either(exact, eq(abs(computed), inf))
  local slip, sample = element_at(name, concat(SLIP, at)), element_at(along, at)
  local part = distance(of, d, n, bin, k, 1)
  local rates = { [0] = scale * (1 - part), [2] = scale * part }
  local crosses = both(gt(slip, 0), both(le(abs(sample - round_even(sample)), slip),
    both(ge(sample, -slip), le(sample, of.picture(d) - 1 + slip))))
  local value = choose(eq(which, SLIP), choose(exact, 0, carried(computed, units[1])),
    choose(eq(which, SLIP + 1), carried(computed, units[2]), 0))
  for edge, rate in pairs(rates) do
    local bound = abs(rate) + carried(rate, units[1])
    value = choose(eq(which, RATE + edge), rate, choose(eq(which, RATE_BOUND + edge), bound,
      choose(eq(which, RATE_DOUBTED + edge), choose(crosses, bound, 0), value)))
  end
  return stage(name) { sizes = concat(FACTS, size(ROI, -2), size(dY, d), slots), value }
end

-- The numbers of an element's share in a sample. SHARE: as computed. BOUND, HALVED: the most that it may be in FLOAT32
-- and in FLOAT16. A sample in the middle between two elements may take either: DOUBTED is the bound for both of them,
-- and EARLIER the share if the sample takes the earlier one.
local SHARE <const>, BOUND <const>, DOUBTED <const>, EARLIER <const>, HALVED <const> = 0, 1, 2, 3, 4

-- Returns the share of an element in the sample of a stage's place.
local function share_of(of, name, along, errors, counts, d)
  local at, pixel, which = slice(place(name), 1, 4), coordinate(-1), coordinate(d == 2 and -6 or -5)
  local n = element_at(counts, slice(at, 0, 1))
  local within = within_picture(of, element_at(along, at), d)
  local reach = abs(within - pixel)
  local share = choose(linear, max(0, 1 - reach), eq(pixel, floor(within + 0.5)))
  local function bound(i)
    local slip = element_at(errors, concat(i, at))
    local touches = both(linear, both(gt(slip, 0), lt(reach, 1 + slip)))
    -- the gradient of the sample may have an error, too: it is divided by the numbers of samples
    return (share + choose(touches, slip + units[i + 1], 0)) * (1 + choose(is_whole(0x1p10 / n), 0, 5 * units[i + 1]))
  end
  local slip = element_at(errors, concat(0, at))
  local between = both(negated(linear), both(le(abs(within - floor(within) - 0.5), slip), lt(reach, 1)))
  local bounded = bound(0)
  return choose(eq(which, SHARE), share, choose(eq(which, BOUND), bounded, choose(eq(which, DOUBTED), bounded + between,
    choose(eq(which, EARLIER), choose(linear, share, eq(pixel, ceil(within - 0.5))), bound(1)))))
end

-- Makes two stages: the shares of each row of each batch in each sample, and those of each column.
local function shares(of)
  local rows = share_of(of, "row_shares", "rows", "row_facts", "samples_y", 2)
  local columns = share_of(of, "column_shares", "columns", "column_facts", "samples_x", 3)
  local batch = element_at(B, concat(filled(0, dims(B) - 1), entry(place "row_shares", 1)))
  local function bins(d) return concat(HALVED - 1 + unit_count, size(ROI, -2), size(dY, d), slots) end
  return stage "row_shares" { sizes = concat(bins(2), size(dX, 0), size(dX, 2)),
      choose(eq(batch, coordinate(-2)), rows, 0) },
    stage "column_shares" { sizes = concat(bins(3), size(dX, 3)), columns }
end

-- Return the condition that an error may move a sample across a limit of the picture, or across the middle between two
-- elements.
local function is_at_limit(of, sample, slip, d)
  return either(le(abs(sample + 1), slip), le(abs(sample - of.picture(d)), slip))
end
local function is_between(of, sample, slip, d)
  local within = within_picture(of, sample, d)
  return both(negated(linear), le(abs(within - floor(within) - 0.5), slip))
end

-- The numbers of a bin of MAX. GREATEST: the sample with the greatest value; INNER: the same, without samples past the
-- edge; LAST: the last one of equal samples; ZERO: the greatest one if samples outside of the picture are 0. LEAST: the
-- least value that rounding errors may make the greatest. DOUBT: 1 if they leave several samples inside, 2 if any.
local GREATEST <const>, INNER <const>, LAST <const>, ZERO <const>, LEAST <const>, DOUBT <const> = 0, 1, 2, 3, 4, 5

local function winners(of)
  local at, which = slice(place "winners", 1, 5), coordinate(-5)
  local rows, columns, value = element "rows", element "columns", element "values"
  local function some_of(condition) return either(condition(of, rows, 2), condition(of, columns, 3)) end
  local function place_of(condition, otherwise, last)
    return over_samples(at, "place_of_max", choose(some_of(condition), otherwise, value), -inf, { last = last })
  end
  local function sum_of(condition) return over_samples(at, "sum", condition, 0, { slips = true }) end
  local function may_be(condition)
    return either(condition(of, rows, element "row_facts", 2), condition(of, columns, element "column_facts", 3))
  end
  local low, high = least_of(X), greatest_of(X)
  local slip = over_samples(at, "max", element "row_facts" + element "column_facts", 0, { slips = true })
  local error = 2 * (slip + 4 * units[1]) * (high - low) + 4 * units[1] * max(abs(high), abs(low))
  local least = over_samples(at, "max", choose(some_of(is_outside), -inf, value), -inf) - choose(linear, 2 * error, 0)
  local rivals = sum_of(both(negated(some_of(is_outside)), ge(value, least)))
  local doubt = choose(gt(sum_of(either(may_be(is_at_limit), may_be(is_between))), 0), 2,
    either(gt(rivals, 1), both(gt(sum_of(some_of(is_outside)), 0), le(least, 0))))
  return stage "winners" { sizes = concat(1 + DOUBT * is(attr "ReductionFunction", 7), sizes(dY)),
    choose(negated(is_max), 0, choose(eq(which, GREATEST), place_of(is_outside, -inf), choose(eq(which, INNER),
      place_of(is_past_edge, -inf), choose(eq(which, LAST), place_of(is_outside, -inf, entry(concat(1), 0)),
      choose(eq(which, ZERO), place_of(is_outside, 0), choose(eq(which, LEAST), least, doubt)))))) }
end

-- The numbers of a sample: the gradient that it passes on; the most that it may pass on; and what it passes on with
-- other samples that count, or that are the greatest.
local PASSED <const>, MOST <const>, OF_INNER <const>, OF_LAST <const>, OF_ZERO <const> = 0, 1, 2, 3, 4

local function passed_on(of)
  local at, which = slice(place "passed", 1, 7), coordinate(-7)
  local region, bin = slice(at, 0, 1), concat(slice(at, 0, 3), entry(at, 4))
  local row, column = row_of(concat(region, slice(at, 2, 6))), column_of(concat(region, slice(at, 2, 6)))
  local y_at, x_at, gradient = element "rows", element "columns", element(dY)
  local function at_sample(formula, more)
    local places = { rows = row, columns = column }
    for name, of_stage in pairs(more) do places[name] = of_stage end
    return over { sizes = concat(1), fold = "sum", at = places, choose(negated(is_nan(y_at + x_at)), formula, 0) }
  end
  local function inside(outside) return negated(either(outside(of, y_at, 2), outside(of, x_at, 3))) end
  local whole = choose(is_max, gradient, gradient / (element "samples_y" * element "samples_x"))
  local bins = { [dY] = bin, samples_y = region, samples_x = region }
  local own = coordinate(-3) * as_number(slots) + coordinate(-1)
  local function of_bin(number) return element_at("winners", concat(number, bin)) end
  local function passes(outside, winner)
    local gradient_of_sample = at_sample(choose(inside(outside), whole, 0), bins)
    return choose(is_max, choose(eq(of_bin(winner), own), gradient_of_sample, 0), gradient_of_sample)
  end
  local value = passes(is_outside, GREATEST)
  local is_rival = at_sample(inside(is_outside), {})
  local rival = choose(eq(of_bin(DOUBT), 2), 1,
    both(of_bin(DOUBT), both(is_rival, ge(element "values", of_bin(LEAST)))))
  local at_limit = at_sample(either(is_at_limit(of, y_at, element "row_facts", 2),
    is_at_limit(of, x_at, element "column_facts", 3)),
    { row_facts = concat(SLIP, row), column_facts = concat(SLIP, column) })
  local doubted = choose(is_max, rival, at_limit)
  return stage "passed" { sizes = concat(OF_INNER + 1 + 2 * is(attr "ReductionFunction", 7), for_samples(of)),
    choose(eq(which, PASSED), value, choose(eq(which, MOST),
      abs(value) + choose(doubted, abs(at_sample(whole, bins)), 0),
      choose(eq(which, OF_INNER), passes(is_past_edge, INNER), choose(eq(which, OF_LAST), passes(is_outside, LAST),
      passes(is_outside, ZERO))))) }
end

-- Makes a stage with the derivative of each sample along the rows of the picture, and of that along the columns: one
-- for two edges of a region, and none without a gradient of regions.
local function slopes(of)
  local at = slice(place "slopes", 1, 7)
  return stage "slopes" { sizes = concat(size(dR, -1) // 2, for_samples(of)),
    choose(coordinate(-7), interpolated(at, 1, 0), interpolated(at, 0, 1)) }
end

-- Makes a stage with three rows: 1 where the number of samples of a region is open, an edge or a coordinate is no
-- number, the batch is beyond the picture. Three more have the numbers of such regions up to a region.
local function oddities(of)
  local own, which = place "oddities", coordinate(-2)
  local at = slice(own, 1, 2)
  local batch = element_at(B, concat(filled(0, dims(B) - 1), entry(at, 0)))
  local batches = as_number(otherwise(size(dX, 0), size(X, 0)))
  local is_odd = choose(eq(which, 0), either(is_open(of, at, 2), is_open(of, at, 3)),
    choose(eq(which, 1), either(not_a_number(of, at, 2), not_a_number(of, at, 3)),
      ge(batch, batches)))
  local of_region = element_at("oddities", concat(entry(own, 0) - 3, at))
  local before = element_at("oddities", concat(entry(own, 0), at - 1))
  return stage "oddities" { sizes = concat(6, size(ROI, -2)),
    choose(lt(which, 3), is_odd, choose(eq(coordinate(-1), 0), of_region, of_region + before)) }
end

-- The sums that an element of the picture receives, each of a number of samples and a number of shares: what it gets;
-- bounds of that, without signs; what it gets from other samples; and the number of addends. SUM_EARLIER of LINEAR,
-- which has no earlier element, is the sum of the gradients without signs, as if each share were 1.
local SUM <const>, PLAIN <const>, BOUNDED <const>, MOST_SUM <const>, SUM_INNER <const>, SUM_EARLIER <const>,
  ADDENDS <const>, SUM_LAST <const>, SUM_ZERO <const>, SUM_HALVED <const> = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9

-- Makes a stage with these sums over the samples of a row of samples, for each column of the picture.
local function spread()
  local at, which, loop = slice(place "spread", 1, 6), coordinate(-6), concat(size(dY, 3), slots)
  local function sum_of(gradients, share, make)
    return over { sizes = loop, fold = "sum",
      choose(both(ne(element "passed", 0), gt(element "column_shares", 0)),
        make(element "passed", element "column_shares"), 0),
      at = { passed = concat(gradients, slice(at, 0, 4), step(loop)),
        column_shares = concat(share, entry(at, 0), step(loop), entry(at, 4)) } }
  end
  local function times(passed, share) return passed * share end
  local function plain(passed, share) return abs(passed) * share end
  local sums = { [SUM] = sum_of(PASSED, SHARE, times), [PLAIN] = sum_of(PASSED, SHARE, plain),
    [BOUNDED] = sum_of(PASSED, BOUND, plain), [MOST_SUM] = sum_of(MOST, DOUBTED, plain),
    [SUM_INNER] = sum_of(OF_INNER, SHARE, times),
    [SUM_EARLIER] = choose(linear, sum_of(PASSED, SHARE, function(passed) return abs(passed) end),
      sum_of(PASSED, EARLIER, times)),
    [ADDENDS] = sum_of(PASSED, SHARE, function() return 1 end),
    [SUM_LAST] = choose(is_max, sum_of(OF_LAST, SHARE, times), 0),
    [SUM_ZERO] = choose(is_max, sum_of(OF_ZERO, SHARE, times), 0) }
  local value = sum_of(PASSED, HALVED, plain)
  for i = SUM_ZERO, SUM, -1 do value = choose(eq(which, i), sums[i], value) end
  return stage "spread" { sizes = concat(SUM_HALVED - 1 + unit_count, size(ROI, -2), size(dY, 1), size(dY, 2), slots,
    size(dX, 3)), value }
end

-- Returns one of the sums for an element of the picture. `share`: the number of its shares in rows of samples; `weight`:
-- what counts in place of such a share, if not nil.
local function received(number_of_sum, share, weight)
  local loop, at = concat(size(ROI, -2), size(dY, 2), slots), place(dX)
  local t, down = step(loop), element "row_shares"
  return over { sizes = loop, fold = "sum",
    choose(gt(down, 0), element "spread" * (weight or down), 0), at = {
      spread = concat(number_of_sum, entry(t, 0), entry(at, 1), slice(t, 1, 3), entry(at, 3)),
      row_shares = concat(share, t, entry(at, 0), entry(at, 2)) } }
end

-- Folds the samples of a region: the sum of a formula of the gradient that each passes on, its slope, its rate, and the
-- bound on the error of its coordinate in the other dimension. `rate`, `slip`: the numbers of these.
local function over_region(gradients, rate, formula, slip)
  local loop, at = concat(size(dY, 1), size(dY, 2), slots, size(dY, 3), slots), place(dR)
  local region, edge, t = entry(at, -2), entry(at, -1), step(loop)
  local function along(own, own_at, other, other_at, axis)
    local places = { passed = concat(gradients, region, t), slopes = concat(axis, region, t),
      [own] = concat(rate + edge - axis, region, own_at) }
    if slip then places[other] = concat(slip, region, other_at) end
    return over { sizes = loop, fold = "sum", at = places, choose(ne(element "passed", 0),
      formula(element "passed", element "slopes", element(own), slip and element(other)), 0) }
  end
  return along("row_facts", slice(t, 1, 3), "column_facts", slice(t, 3, 5), 1),
    along("column_facts", slice(t, 3, 5), "row_facts", slice(t, 1, 3), 0)
end

-- Returns the sum of the gradients that all samples of a region pass on, times their slopes and rates: if the edge is
-- one of rows, and of columns.
local function moved(gradients)
  return over_region(gradients, RATE, function(passed, slope, rate) return passed * slope * rate end)
end

-- Returns what a function makes of the two sums, for the edge of an output's place.
local function of_edge(make, ...)
  local rows, columns = {}, {}
  for i, pair in ipairs { ... } do rows[i], columns[i] = pair[1], pair[2] end
  return choose(either(eq(coordinate(-1), 1), eq(coordinate(-1), 3)), make(table.unpack(rows)),
    make(table.unpack(columns)))
end

-- Returns bounds of these sums, in which no sample misses its slope or its rate by more than its errors.
local function bounds_of_moved(gradients, i)
  local u, high, low = units[i + 1], greatest_of(X), least_of(X)
  return over_region(gradients, RATE_BOUND, function(passed, slope, rate, slip)
    local wide = rate * (1 + 16 * u) + (i == 1 and 16 * u * max(abs(scale_of(2)), abs(scale_of(3))) or 0)
    -- a slope is a difference of elements, which have the rounding errors of their products and sums
    local error = 2 * (slip + 4 * u) * (high - low) + 4 * u * max(abs(high), abs(low))
    return abs(passed) * (abs(slope) + error) * wide
  end, i)
end

-- Returns the error of a sum with unit roundoff `u`. `total`: the sum without signs. `bound`: the same, if each addend
-- has its greatest error.
local function error_of(addends, total, bound, u)
  return (addends + 2) * u * total + addends * 0x1p-126 + max(0, bound - total)
end

-- Returns the tolerances of the types. `error(i)`: the error with unit i.
local function tolerances_of(error)
  local function of_half(i)
    local e = error(i)
    return choose(gt(e, 0), e + ulp(0.5), 0)
  end
  return error(0), { soft = of_half(0), must = of_half(1) }
end

-- `outputs`: the elements of the gradient of the picture and of the regions; `pictures`: the sizes of the picture.
local function gradient_example(id, rois, pictures, input, bins, gradients, outputs, fields)
  local function usual(name, value) if fields[name] == nil then fields[name] = value end end
  fields[ROI], fields[dY] = floats({ #rois // 4, 4 }, rois), floats(bins, gradients)
  fields[X], fields[dX] = input and floats(pictures, input), floats(pictures, outputs[1])
  fields[dR] = outputs[2] and floats({ #rois // 4, 4 }, outputs[2])
  local batches = {}
  for i = 1, #rois // 4 do batches[i] = 0 end
  usual(B, { "UINT32", { #rois // 4 }, batches })
  usual("ReductionFunction", 2)
  usual("InterpolationMode", 1)
  usual("SpatialScaleX", 1)
  usual("SpatialScaleY", 1)
  usual("InputPixelOffset", 0.5)
  usual("OutputPixelOffset", -0.5)
  usual("MinimumSamplesPerOutput", 1)
  usual("MaximumSamplesPerOutput", fields.MinimumSamplesPerOutput)
  usual("AlignRegionsToCorners", false)
  usual("ruling", "E12, Z9, Z10")
  return example(id) (fields)
end

local function gradient()
  local page = "DML_ROI_ALIGN_GRAD"
  local of = sampling(dY, function(d) return otherwise(size(dX, d), size(X, d)) end,
    { input = attribute "InputPixelOffset", output = attribute "OutputPixelOffset" }, attribute "AlignRegionsToCorners")
  local ys, xs = table.pack(samples(of, "samples_y", "rows", 2)), table.pack(samples(of, "samples_x", "columns", 3))
  local row_shares, column_shares = shares(of)
  local value, bound, most = received(SUM, SHARE), received(BOUNDED, BOUND), received(MOST_SUM, DOUBTED)
  local inner, doubt = received(SUM_INNER, SHARE), max(0, most - bound)
  local float32, float16 = tolerances_of(function(i)
    return error_of(received(ADDENDS, SHARE, 1), received(PLAIN, SHARE),
      i == 0 and bound or received(SUM_HALVED, HALVED), units[i + 1])
  end)
  local function derivative(gradients) return of_edge(function(sum) return sum end, { moved(gradients) }) end
  local sums, bounds, most_moved = { moved(PASSED) }, { bounds_of_moved(PASSED, 0) }, { bounds_of_moved(MOST, 0) }
  local crossing = { over_region(MOST, RATE_DOUBTED, function(passed, _, rate)
    return passed * rate * (greatest_of(X) - least_of(X))
  end) }
  local derivatives = derivative(PASSED)
  local doubt_of_regions = of_edge(function(bound_of_sum, most_of_sum, crossed)
    return max(0, part(most_of_sum, "magnitude") - part(bound_of_sum, "magnitude")) + crossed
  end, bounds, most_moved, crossing)
  local region_float32, region_float16 = tolerances_of(function(i)
    return of_edge(function(sum, bound_of_sum)
      return error_of(part(sum, "count") - part(sum, "zeros"), part(sum, "magnitude"), part(bound_of_sum, "magnitude"),
        units[i + 1])
    end, sums, i == 0 and bounds or { bounds_of_moved(PASSED, 1) })
  end)
  local low, high = least_of(X), greatest_of(X)
  local X_not_finite = negated(both(le(abs(high), largest), le(abs(low), largest)))
  local function not_finite(sum) return gt(part(sum, "nans") + part(sum, "infinities"), 0) end
  local function is_odd(number)
    return gt(element_at("oddities", concat(number + 3, size(ROI, -2) - 1)), 0),
      element_at("oddities", concat(number, entry(place(dR), -2)))
  end
  local count, count_of_region = is_odd(0)
  local no_number, no_number_of_region = is_odd(1)
  local batch, batch_of_region = is_odd(2)
  local function open_of(output, id, text, ruling, when, gives)
    return behaviour(id) { of = output, text = text, strength = "open", ruling = ruling, when = when,
      gives = gives or "anything" }
  end
  local overflow, overflow_of_rows, overflow_of_columns = partial_overflow(value),
    partial_overflow(sums[1], "partial-rows"), partial_overflow(sums[2], "partial-columns")
  overflow.of, overflow_of_rows.of, overflow_of_columns.of = dX, dR, dR
  -- A device may divide by the number of samples, which is open above 8 in a dimension, and multiply by shares, at last.
  local in_dimension = min(8, max(fewest, most_samples))
  local unshared = choose(linear, received(SUM_EARLIER, SHARE, 1), received(PLAIN, SHARE))
  local of_one = choose(is_max, 1, in_dimension * in_dimension)
  local function may_overflow(sum, undivided)
    return both(gt(max(part(sum, "peak"), undivided), largest), eq(part(sum, "nans"), 0))
  end
  overflow.when = may_overflow(value, unshared * of_one)
  -- It may multiply the gradient of a region by elements of the picture before it subtracts them.
  local passed_in_region = over_region(PASSED, RATE, function(passed) return abs(passed) end)
  local widest = max(1, 2 * max(abs(low), abs(high))) * max(1, max(abs(scale_of(2)), abs(scale_of(3))))
  overflow_of_rows.when = may_overflow(sums[1], passed_in_region * of_one * widest)
  local domains = sampling_domains(true)
  domains[dY], domains.MaximumSamplesPerOutput = { -8, 8 }, { 1, 2, usual = 2 }
  local edge_text = "a sample up to 1 outside of the picture is at its edge, one farther away passes nothing on"
  return operator "ROI_ALIGN_GRAD" {
    groups = { "data", "index" },
    parameters = { { "d", dims(dY) }, { "r", size(ROI, -2) }, { "i", present(X) }, { "g", present(dX) },
      { "b", present(dR) } },
    rules = align_rules(page, {
      rule "needs-input" { when(any_of(present(dR), equal(attr "ReductionFunction", 7)), present(X)), page = page },
      rule "needs-output" { any_of(present(dX), present(dR)), page = page },
      rule "gradient-sizes" { equal(size(dY, 0), size(ROI, -2)), when(present(X), equal(size(X, 1), size(dY, 1))),
        when(present(dX), equal(size(dX, 1), size(dY, 1))), page = page },
      rule "roi-gradient-sizes" { when(present(dR), equal(dims(dR), dims(ROI)), equal(sizes(dR), sizes(ROI))),
        page = page },
      rule "image-sizes" { when(all_of(present(X), present(dX)), equal(sizes(dX), sizes(X))), strength = "soft",
        page = page },
    }, same("DataType", dY, ROI, dX, dR)),
    situations = { region_situations(dX, size(dY, 2), size(dY, 3), { present(dX) }, size(dY, 1)),
      sampling_situations(X, dY, 11, 7, { present(dR) }) },
    indices = { index(B) { into = concat(otherwise(size(dX, 0), size(X, 0))) } },
    grids = regions(otherwise(size(dX, 2), size(X, 2)), otherwise(size(dX, 3), size(X, 3))),
    domains = domains,
    stages = { ys[1], ys[2], xs[1], xs[2], facts(of, "row_facts", "samples_y", "rows", 2),
      facts(of, "column_facts", "samples_x", "columns", 3), weights(of, "down", "rows", 2, true),
      weights(of, "across", "columns", 3, true), corners_of_samples(of),
      stage "values" { sizes = for_samples(of), choose(is_max, interpolated(place "values", 0, 0), 0) },
      winners(of), passed_on(of), slopes(of), row_shares, column_shares, spread(), oddities(of) },
    results = { result(dX) { value, FLOAT32 = float32, FLOAT16 = float16 },
      result(dR) { choose(linear, derivatives, 0), FLOAT32 = region_float32, FLOAT16 = region_float16 } },
    behaviours = {
      behaviour "passes" { page = page, ruling = "Z9", text = "an element of OutputGradientTensor is the sum of the " ..
        "gradients of all samples, times its weights in them; the gradient of a bin is divided among its samples, " ..
        "or given to the greatest one" },
      behaviour "moves" { page = page, ruling = "Z10", text = "an element of OutputROIGradientTensor is the " ..
        "derivative with respect to an edge of a region, which is 0 in a dimension where a sample is at an element" },
      behaviour "edge" { of = dX, strength = "soft", ruling = "Z7", text = edge_text,
        when = ne(value, inner), gives = { { "outside", within(inner, doubt) } } },
      behaviour "edge-regions" { of = dR, strength = "soft", ruling = "Z7", text = edge_text,
        when = both(linear, ne(derivatives, derivative(OF_INNER))),
        gives = { { "outside", within(derivative(OF_INNER), doubt_of_regions) } } },
      open_of(dX, "half", "NEAREST_NEIGHBOR: a sample in the middle between two elements may take any of them", "Z8",
        both(negated(linear), gt(doubt, 0)),
        { { "earlier", received(SUM_EARLIER, EARLIER) }, { "mixed", within(value, doubt) } }),
      open_of(dX, "tie",
        "MAX: of equal samples any may be the greatest; a sample outside of the picture may count as 0", "Z9",
        both(is_max, gt(doubt, 0)), { { "last", received(SUM_LAST, SHARE) }, { "zero", received(SUM_ZERO, SHARE) },
          { "mixed", within(value, doubt) } }),
      open_of(dX, "bound", "a sample that is 1 outside of the picture may count as inside or outside", "Z7",
        both(both(linear, negated(is_max)), gt(doubt, 0)), { { "mixed", within(value, doubt) } }),
      open_of(dR, "border", "a sample so near to an element, or to a limit, that FLOAT32 may place it on the other " ..
        "side may have the derivative of any side; of equal samples any may be the greatest", "Z10",
        both(linear, gt(doubt_of_regions, 0)), { { "last", derivative(OF_LAST) }, { "zero", derivative(OF_ZERO) },
          { "mixed", within(derivatives, doubt_of_regions) } }),
      open_of(dR, "nearest", "OutputROIGradientTensor of NEAREST_NEIGHBOR may have any value", "Z10", negated(linear)),
      open_of(dX, "count", "a number of samples that is no whole number, or above 8, gives any value", "Z6", count),
      open_of(dR, "count-regions", "the same for the gradient of a region", "Z6", count_of_region),
      open_of(dX, "no-number", "an edge or a coordinate that is no number, or an edge beyond 2^20, gives any value",
        "Z4", no_number),
      open_of(dR, "no-number-regions", "the same for the gradient of a region", "Z4", no_number_of_region),
      open_of(dX, "batch", "a batch that the input has not gives any value", "Z4", batch),
      open_of(dR, "batch-regions", "the same for the gradient of a region", "Z4", batch_of_region),
      open_of(dX, "not-finite", "if an element is not finite, any value is right", "U2",
        either(both(is_max, X_not_finite), not_finite(most))),
      open_of(dR, "not-finite-regions", "the same for the gradient of a region", "U2",
        either(X_not_finite, of_edge(not_finite, most_moved))),
      overflow, overflow_of_rows, overflow_of_columns,
      behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
    },
    examples = {
      gradient_example("page", { 0, 0, 2, 2, 2, 0, 4, 2, 0, 2, 2, 4, 2, 2, 4, 4 }, { 1, 1, 4, 4 }, nil, { 4, 1, 1, 3 },
        { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, { { 3, 3, 9, 6, 0, 0, 0, 0, 15, 9, 21, 12, 0, 0, 0, 0 } },
        { InterpolationMode = 0, OutputPixelOffset = -0.25 }),
      gradient_example("average", { 0, 0, 2, 2 }, { 1, 1, 2, 2 }, nil, { 1, 1, 1, 1 }, { 4 }, { { 1, 1, 1, 1 } },
        { MinimumSamplesPerOutput = 2 }),
      gradient_example("linear", { 0.75, 0, 2.75, 1 }, { 1, 1, 1, 4 }, { 0, 10, 30, 60 }, { 1, 1, 1, 2 }, { 1, 2 },
        { { 0.25, 1.25, 1.5, 0 }, { 17.5, 0, 32.5, 0 } }, {}),
      gradient_example("channels", { 0.75, 0, 2.75, 1 }, { 1, 2, 1, 4 }, { 0, 10, 30, 60, 0, 10, 30, 60 },
        { 1, 2, 1, 2 }, { 1, 2, 3, 6 }, { { 0.25, 1.25, 1.5, 0, 0.75, 3.75, 4.5, 0 }, { 70, 0, 130, 0 } }, {}),
      gradient_example("scaled", { 1.5, 0, 5.5, 1 }, { 1, 1, 1, 4 }, { 0, 10, 30, 60 }, { 1, 1, 1, 2 }, { 1, 2 },
        { { 0.25, 1.25, 1.5, 0 }, { 8.75, 0, 16.25, 0 } }, { SpatialScaleX = 0.5 }),
      gradient_example("maximum", { 0, 0, 2, 2 }, { 1, 1, 2, 2 }, { 1, 2, 3, 4 }, { 1, 1, 1, 1 }, { 5 },
        { { 0, 0, 0, 5 } }, { ReductionFunction = 7, MinimumSamplesPerOutput = 2 }),
      gradient_example("overlapping", { 0, 0, 1, 1, 0, 0, 1, 1 }, { 1, 1, 1, 2 }, nil, { 2, 1, 1, 1 }, { 3, 4 },
        { { 7, 0 } }, {}),
      gradient_example("batches", { 0, 0, 1, 1, 0, 0, 1, 1 }, { 2, 1, 1, 1 }, nil, { 2, 1, 1, 1 }, { 3, 4 },
        { { 4, 3 } }, { [B] = { "UINT32", { 2 }, { 1, 0 } } }),
      gradient_example("outside", { -4, 0.5, 4, 1.5 }, { 1, 1, 2, 4 }, nil, { 1, 1, 1, 1 }, { 8 },
        { { 0, 1, 1, 0, 0, 1, 1, 0 } },
        { MinimumSamplesPerOutput = 2 }),
    },
  }
end

return {
  define("ROI_POOLING", pooling), define("ROI_ALIGN", align), define("ROI_ALIGN1", align, true),
  define("ROI_ALIGN_GRAD", gradient),
}
