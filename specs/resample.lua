-- Operators that enlarge or shrink pictures, or tensors of any sizes.

local X, Y = "InputTensor", "OutputTensor"
local D, page = dims(X), "DML_UPSAMPLE_2D"
local x, linear = element(X), eq(attribute "InterpolationMode", 1)
local width, height = entry(list "ScaleSize", 0), entry(list "ScaleSize", 1)
local scales, picture = concat(height, width), slice(sizes(X), D - 2, D)

-- ---- weights

-- An element of the output is an average of the elements of the input whose distance is below Scale elements of the
-- output. `taps`: the elements of the output around the begin of an element of the input, of which number `half` is at
-- that begin; one is enough if Scale is 1. Beyond the edge there are none: so the others have its weight, as if the edge
-- were repeated.
local alone = concat(is(height, 1), is(width, 1))
local taps, half = 2 * scales + scales % 2 - 2 * alone, (scales + 1) // 2 - alone

-- Weights in a dimension, of the element of the output that is `t` elements after the begin of an element of the input,
-- which becomes `n` elements.
local function nearest(t, n) return both(ge(t, 0), lt(t, n)) end
local function from_centre(t, n) return max(0, 2 * n - abs(2 * t + 1 - n)) end
local function from_corner(t, n) return max(0, n - abs(t)) end

-- Returns a size, which may be 0, as a number of a formula. `input`: any input of the operator.
local function as_number(size, input)
  local first = { [input or X] = filled(0, dims(input or X)) }
  return part(over { sizes = concat(size + 1), fold = "sum", at = first, element(input or X) }, "steps") - 1
end

-- Makes a stage with the weight of each tap: an integer. `first`: the tap at the begin of an element of the input.
local function weights(name, first, weight)
  local function along(dimension, size, before)
    return weight(coordinate(dimension) - before, as_number(size))
  end
  return stage(name) { sizes = taps, along(-2, height, as_number(entry(first, 0))) *
    along(-1, width, as_number(entry(first, 1))) }
end

-- Returns the coordinates of the element of the input that begins `t - first` elements before one of the output. A step
-- takes no part if there is none.
local function source(t, first)
  local at = place(Y)
  return concat(prefix(at, D - 2), divided(slice(at, D - 2, D) + first - t, scales, picture))
end

-- Folds the elements around an element of the output. `first`: the number of the tap at the begin of an element.
local function around(name, first, fold, formula)
  local t = step(taps)
  return over { sizes = taps, fold = fold, at = { [X] = source(t, first), [name] = t }, formula }
end

local function average(name, first)
  local weight = element(name)
  return around(name, first, "sum", choose(gt(weight, 0), weight * x, 0)) /
    around(name, first, "sum", weight + 0 * is_nan(x))
end

-- ---- UPSAMPLE_2D

local weight = element "weights"
local counts = gt(weight, 0)
local value, asymmetric = average("weights", half), average("corners", scales - 1)
local is_finite = lt(abs(x), inf)
local top = around("weights", half, "max", choose(is_finite, x, -inf))
local bottom = around("weights", half, "min", choose(is_finite, x, inf))
local range, most = max(0, top - bottom), choose(lt(top, bottom), 0, max(abs(top), abs(bottom)))
local weighted = around("weights", half, "sum", choose(both(counts, is_finite), weight * abs(x), 0))
local idle = around("weights", half, "sum", both(negated(counts), negated(is_finite)))
-- At the edge, the next element may have a weight of 0, too.
local infinite = over { sizes = 3 * scales, fold = "sum", at = { [X] = source(step(3 * scales), scales) },
  negated(is_finite) }
local farthest = max(coordinate(-2) / as_number(height), coordinate(-1) / as_number(width))
-- A device computes coordinates in FLOAT32, then products and sums. In the middle of an element its coordinate may be
-- before or behind: so elements with a weight of 0 count.
local function error_of(unit)
  local products = 8 * unit * max(most, smallest_normal)
  return choose(linear, 16 * unit * (1 + farthest) * range + products + ulp(0.5), 0)
end

local positive, fits = at_least(list "ScaleSize", 1), at_most(picture, 0xffffffff // scales)

local function floats(sizes, values) return { "FLOAT32", sizes, values } end
local four = floats({ 1, 1, 2, 2 }, { 1, 2, 3, 4 })
local function example_of(id, mode, scale, input, output)
  return example(id) { ruling = "E12, U1", InterpolationMode = mode, ScaleSize = scale, InputTensor = input,
    OutputTensor = output }
end

local function scaled(id, text, mode, ...)
  return situation(id) { text = text, equal(attr "InterpolationMode", mode), ... }
end
local inside = { at_least(size(X, -1), 3), at_least(size(X, -2), 3) }

local upsample = operator "UPSAMPLE_2D" {
  parameters = { { "d", D } },
  rules = {
    rule "same-dims" { same "DimensionCount", page = page },
    rule "same-type" { same "DataType", page = page },
    rule "mode" { one_of(attr "InterpolationMode", { 0, 1 }), page = page },
    rule "scale" { positive, when(positive, fits), page = page,
      text = "both numbers of ScaleSize must be at least 1, and no size times its scale above 2^32 - 1" },
    rule "output-sizes" { page = page,
      when(all_of(positive, fits), equal(sizes(Y), concat(prefix(sizes(X), D - 2), picture * scales))),
      text = "the last two sizes of OutputTensor must be those of InputTensor times Height and Width of ScaleSize, " ..
        "the others the same" },
  },
  situations = {
    shape_situations(X),
    scaled("nearest-apart", "NEAREST_NEIGHBOR, and the scales differ", 0, equal(height, 3), equal(width, 2), inside),
    scaled("apart", "LINEAR, and the scales differ", 1, equal(height, 2), equal(width, 3), inside),
    scaled("even", "LINEAR, and both scales are even", 1, equal(height, 4), equal(width, 2), inside),
    scaled("odd", "LINEAR, and some elements of the output are in the middle of those of the input", 1,
      equal(height, 3), equal(width, 3), inside),
    scaled("rows-only", "LINEAR, and only rows are added", 1, equal(height, 3), equal(width, 1), inside),
    scaled("columns-only", "LINEAR, and only columns are added", 1, equal(height, 1), equal(width, 3), inside),
    scaled("unchanged", "LINEAR, and both scales are 1", 1, each(list "ScaleSize", 1, 1), inside),
    scaled("one-element", "LINEAR, and each plane has one element", 1, at_least(height, 2), at_least(width, 2),
      equal(size(X, -1), 1), equal(size(X, -2), 1)),
    scaled("one-row", "LINEAR, and there is one row", 1, at_least(height, 2), at_least(size(X, -1), 3),
      equal(size(X, -2), 1)),
    scaled("planes", "LINEAR, and there are several batches and channels", 1, at_least(height, 2), at_least(width, 2),
      at_least(size(X, 0), 2), at_least(size(X, 1), 3), inside),
    scaled("large-scale", "LINEAR, and Width is above 16", 1, at_least(width, 17), inside),
    scaled("nearest-large-scale", "NEAREST_NEIGHBOR, and Height is above 16", 0, at_least(height, 17), inside),
  },
  stages = {
    weights("weights", half, function(t, n) return choose(linear, from_centre(t, n), nearest(t, n)) end),
    weights("corners", scales - 1, from_corner),
  },
  results = { result(Y) { value, FLOAT32 = error_of(0x1p-24),
    FLOAT16 = { soft = error_of(0x1p-24), must = error_of(0x1p-11) } } },
  domains = { [X] = { -8, 8 } },
  behaviours = {
    behaviour "nearest" { page = page,
      text = "NEAREST_NEIGHBOR: each element is the one at its row // Height, column // Width" },
    behaviour "linear" { strength = "soft", ruling = "U1", when = linear, gives = { { "corners", asymmetric } },
      text = "LINEAR: each element is the weighted average of the four elements whose centres are around its own; " ..
        "beyond the edge, elements are repeated" },
    behaviour "infinite" { strength = "open", ruling = "U2", when = both(linear, gt(infinite, 0)),
      gives = { { "nan", nan } }, text = "LINEAR: an infinity or a NaN beside or among the four may give a NaN" },
    behaviour "infinite-idle" { strength = "open", ruling = "U2", when = both(linear, gt(idle, 0)),
      gives = "anything", text = "LINEAR: an infinity or a NaN with a weight of 0 gives any value" },
    behaviour "range" { strength = "open", ruling = "S3", gives = "anything",
      when = both(linear, either(gt(range, largest), gt(weighted, largest))),
      text = "where the difference or the weighted sum of elements is beyond the type, any value is right" },
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  },
  examples = {
    example_of("linear", 1, { 2, 2 }, four, floats({ 1, 1, 4, 4 },
      { 1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4 })),
    example_of("nearest", 0, { 3, 2 }, floats({ 1, 1, 1, 2 }, { 1, 2 }),
      floats({ 1, 1, 2, 6 }, { 1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2 })),
    example_of("nearest-planes", 0, { 1, 2 }, floats({ 1, 2, 2, 1 }, { 1, 2, 3, 4 }),
      floats({ 1, 2, 4, 1 }, { 1, 1, 2, 2, 3, 3, 4, 4 })),
    example_of("linear-odd", 1, { 3, 1 }, floats({ 1, 1, 1, 3 }, { 0, 3, 9 }),
      floats({ 1, 1, 1, 9 }, { 0, 0, 1, 2, 3, 5, 7, 9, 9 })),
    example_of("linear-depth", 1, { 1, 2 }, floats({ 1, 1, 2, 2, 1 }, { 0, 4, 8, 16 }),
      floats({ 1, 1, 2, 4, 1 }, { 0, 1, 3, 4, 8, 10, 14, 16 })),
  },
}

-- ---- RESAMPLE, RESAMPLE1, RESAMPLE2, RESAMPLE3

-- Tensors count as having four dimensions, with sizes of 1 in front.
local RANK = 4
local at_output = concat(filled(0, RANK - D), place(Y))

-- The sizes `from` which and `to` which an operator resamples. `input`: the operator's input.
local forward = { from = fit(sizes(X), RANK), to = fit(sizes(Y), RANK), input = X }

-- Returns the element of a stage at these coordinates.
local function element_at(name, at)
  return over { sizes = concat(1), fold = "sum", at = { [name] = at }, element(name) }
end

-- Entries of the stages of pixels.
local POSITION, OTHER, FIRST, STATE, REACH = 0, 1, 2, 3, 4
-- States of a pixel: in the middle between two elements; so near to the point where the nearest element, or the first
-- of two, changes that FLOAT32 may have it on either side; no number; so far beyond the edge that it is moved there for
-- certain.
local MIDDLE, NEAR, NO_NUMBER, OUTSIDE = 1, 2, 3, 4

local function pixels(d) return "pixels" .. d end

local function pixel(d, entry_of) return element_at(pixels(d), concat(entry_of, entry(at_output, d))) end

local function all_dimensions(make, join)
  local all = make(0)
  for d = 1, RANK - 1 do all = join(all, make(d)) end
  return all
end

local function some_dimension(condition) return all_dimensions(condition, either) end

local function is_power_of_two(a) return eq(pow(2, round_even(log(a) * 0x1.71547652b82fep0)), a) end

local function has_few_digits(a) return eq(floor(64 * a), 64 * a) end

-- Returns the entries of a pixel along a dimension: the coordinate in the input, also the other one that a device may
-- choose, both moved to the edge; the first element with a weight; the state; and the largest number of the
-- computation. `fields`: what the operator has. `swapped`: its two offsets count as each other. Names keep texts short:
-- the text of a formula contains those of its operands each time that they occur.
local function pixel_entries(d, fields, tensors, swapped)
  local function size_in(list) return as_number(entry(list, d), tensors.input) end
  local n, o, last = attribute(fields.count) + (d - RANK), coordinate(-1), size_in(tensors.from) - 1
  local scale = entry("Scales", n)
  local function call(formula, name) return named(formula, swapped and name .. "'" or name) end
  local before = fields.offsets and entry("InputPixelOffsets", n) or 0.5
  local after = fields.offsets and entry("OutputPixelOffsets", n) or -0.5
  if swapped then before, after = after, before end
  local along = (o - after) / scale - before
  along = call(along, "along")
  local reach = call(max(max(1, abs(along)), max(max(abs(before), abs(o / scale)), abs(after / scale))), "reach")
  local exact = call(both(both(is_power_of_two(scale), lt(reach, 4096)),
    both(has_few_digits(before), has_few_digits(after))), "exact")
  local function is_near(distance) return both(negated(exact), lt(abs(distance), 0x1p-20 * reach)) end
  local below, whole = floor(along), round_even(along)
  local chosen, other = ge(along - below, 0.5), choose(is_near(along - below - 0.5), 1, 0)
  local taken, rival = below + chosen, below + 1 - chosen
  other = either(other, both(exact, eq(along - below, 0.5)))
  if fields.direction then
    local up = eq(attribute "RoundingDirection", 0)
    taken = choose(up, ceil(along), floor(along))
    other, rival = is_near(along - whole), choose(up, 2 * whole + 1 - taken, 2 * whole - 1 - taken)
  end
  local function within_input(a) return max(0, min(last, a)) end
  local position = within_input(choose(linear, along, taken))
  position = call(position, "position")
  local otherwise = call(choose(linear, position, within_input(choose(other, rival, taken))), "other")
  local near = choose(linear, both(is_near(along - whole), both(ge(whole, 0), le(whole, last))),
    both(ne(position, otherwise), is_near(along - choose(fields.direction and 1 or 0, whole, below + 0.5))))
  local outside = choose(either(lt(along, -1), gt(along, last + 1)), OUTSIDE, 0)
  local state = choose(near, NEAR, choose(ne(position, otherwise), MIDDLE, outside))
  state = choose(both(ge(n, 0), negated(lt(abs(along), 0x1p20))), NO_NUMBER, state)
  return { [POSITION] = position, [OTHER] = otherwise, [FIRST] = floor(min(position, otherwise)), [STATE] = state,
    [REACH] = reach }
end

-- Returns the entry of a list, from 0 to `last`, that a coordinate counts.
local function entry_at(which, entries, last)
  local found = entries[last]
  for i = last - 1, 0, -1 do found = choose(eq(which, i), entries[i], found) end
  return found
end

-- Makes a stage that places the elements of the output along a dimension. Entries come first, since a stage is fastest
-- if its elements take the same branches one after the other.
local function pixels_along(d, fields)
  return stage(pixels(d)) { sizes = concat(REACH + 1, entry(forward.to, d)),
    entry_at(coordinate(-2), pixel_entries(d, fields, forward), REACH) }
end

-- Returns the weight of an element for a coordinate.
local function share_of(position, i) return max(0, 1 - abs(position - i)) end

local function shares(d) return "shares" .. d end

-- Makes a stage with the weights of the two elements around each pixel, at its coordinate and at the other one.
local function shares_along(d)
  local name = shares(d)
  local at, t, which = place(name), coordinate(-2), coordinate(-1)
  local function of(i) return element_at(pixels(d), concat(i, entry(at, 0))) end
  return stage(name) { sizes = concat(entry(forward.to, d), least(2, entry(forward.from, d)), 2),
    share_of(choose(which, of(OTHER), of(POSITION)), of(FIRST) + t) }
end

-- Makes a stage with the coordinates of the first element around each element of the output.
local function firsts()
  local at = place "firsts"
  local function of(d) return element_at(pixels(d), concat(FIRST, entry(at, d))) end
  local all = {}
  for d = 0, RANK - 1 do all[d] = of(d) end
  return stage "firsts" { sizes = concat(forward.to, RANK), entry_at(coordinate(-1), all, RANK - 1) }
end

-- Folds the elements around an element of the output. `others`: the dimensions where the other coordinate counts.
local function interpolated(fold, formula, others)
  local pair = least(2, forward.from)
  local t = step(pair)
  local at = { [X] = slice(gathered("firsts", at_output), RANK - D, RANK) + slice(t, RANK - D, RANK) }
  for d = 0, RANK - 1 do
    at[shares(d)] = concat(entry(at_output, d), entry(t, d), others and others[d] and 1 or 0)
  end
  return over { sizes = pair, fold = fold, at = at,
    formula(all_dimensions(function(d) return element(shares(d)) end, function(a, b) return a * b end)) }
end

local function mean(others)
  local sum = interpolated("sum", function(share) return choose(gt(share, 0), share * x, 0) end, others)
  return choose(is_float(X), sum, round_even(sum))
end

local function open(id, text, ruling, when, gives)
  return behaviour(id) { text = text, strength = "open", ruling = ruling, when = when, gives = gives or "anything" }
end

local function has_scale(low, high) return { at_least(list "Scales", low), at_most(list "Scales", high) } end

local function rules_of(name, fields)
  local reference = "DML_" .. name
  local rules = {
    rule "same-dims" { same "DimensionCount", page = reference },
    rule "same-type" { same "DataType", page = reference },
    rule "mode" { one_of(attr "InterpolationMode", { 0, 1 }), page = reference },
    rule "scale-count" { equal(attr(fields.count), dims(fields.input or X)), page = reference },
    rule "arrays-given" { strength = "soft", ruling = "B10", text = "no array may be a null pointer", present "Scales",
      fields.offsets and { present "InputPixelOffsets", present "OutputPixelOffsets" } or {} },
    rule "scales" { above(list "Scales", 0.0), finite(list "Scales"), strength = "soft", ruling = "U6" },
  }
  if fields.direction then
    rules[#rules + 1] = rule "direction" { one_of(attr "RoundingDirection", { 0, 1 }), page = reference }
  end
  if fields.offsets then
    rules[#rules + 1] = rule "offsets" { finite(list "InputPixelOffsets"), finite(list "OutputPixelOffsets"),
      strength = "soft", ruling = "U6" }
  end
  return rules
end

-- Makes an example of an operator with these fields. `input`, `output`: its tensors. `more`: other values of fields.
local function example_with(fields, input, output, id, mode, list_of_scales, given, made, more)
  local all = { ruling = "E12, U4", InterpolationMode = mode, [fields.count] = #list_of_scales,
    Scales = list_of_scales, [input] = given, [output] = made }
  local function otherwise(field, is_there, usual)
    if is_there and all[field] == nil then all[field] = usual end
  end
  for field, one in pairs(more or {}) do all[field] = one end
  local into, out = {}, {}
  for i = 1, #list_of_scales do into[i], out[i] = 0.5, -0.5 end
  otherwise("InputPixelOffsets", fields.offsets, into)
  otherwise("OutputPixelOffsets", fields.offsets, out)
  otherwise("RoundingDirection", fields.direction, 1)
  otherwise("Antialiased", fields.antialiased, false)
  return example(id)(all)
end

local function resample(name, fields)
  local reference = "DML_" .. name
  local declare = operator(name)
  local function state(d) return pixel(d, STATE) end
  local function in_state(one) return some_dimension(function(d) return eq(state(d), one) end) end
  local count_near = all_dimensions(function(d) return eq(state(d), NEAR) end, function(a, b) return a + b end)
  local count_middle = all_dimensions(function(d) return eq(state(d), MIDDLE) end, function(a, b) return a + b end)
  local reach = all_dimensions(function(d) return pixel(d, REACH) end, max)
  local peak = interpolated("max", function(share) return choose(gt(share, 0), x, -inf) end)
  local dip = interpolated("min", function(share) return choose(gt(share, 0), x, inf) end)
  local not_finite = interpolated("sum", function(share) return both(ge(share, 0), negated(lt(abs(x), inf))) end)
  local spread, largest_of_all = max(0, peak - dip), max(abs(peak), abs(dip))
  local whole_spread = greatest_of(X) - least_of(X)
  local near = gt(count_near, 0)
  -- An element of the input, or a mean of some. Infinities of both signs have no middle, numbers beyond FLOAT32 do.
  local least, greatest_one = max(least_of(X), -0x1p129), min(greatest_of(X), 0x1p129)
  local anywhere = { { "other", within((least + greatest_one) / 2, (greatest_one - least) / 2) }, { "undefined", nan } }
  local function bound(unit)
    return choose(linear, 16 * unit * (1 + reach) * (spread + choose(near, whole_spread, 0)) +
      pow(2, attribute(fields.count) + 1) * unit * max(largest_of_all, smallest_normal) + ulp(0.5), 0)
  end
  local unweighted, singles = negated(linear), {}
  for d = 0, RANK - 1 do singles[d + 1] = { "other-" .. d, mean { [d] = true } } end
  local every_other = mean { [0] = true, true, true, true }
  local behaviours = {
    behaviour "resamples" { page = reference, ruling = "U7", text = "each element is the nearest element of the " ..
      "input, or the weighted mean of those around it, at (coordinate - OutputPixelOffset) / Scale - " ..
      "InputPixelOffset; beyond the edge, elements are repeated" },
    open("near", "where FLOAT32 may place a coordinate on either side of the point at which the nearest element " ..
      "changes, both elements are right", "U4", both(unweighted, near), singles),
    open("near-more", "the same in two dimensions at once", "U4", both(unweighted, near),
      { { "others", every_other } }),
    open("near-many", "the same in three or four dimensions", "U4",
      both(unweighted, both(near, gt(count_near + count_middle, 2)))),
    open("no-number", "a coordinate that is no number, or beyond 2^20, gives any value", "U6", in_state(NO_NUMBER)),
    open("infinite", "LINEAR: if an element around is not finite, any value is right", "U2",
      both(linear, either(gt(not_finite, 0), both(near, negated(lt(abs(whole_spread), inf)))))),
    open("range", "where the sum or the difference of elements is beyond the type, any value is right", "S3",
      both(linear, gt(2 * largest_of_all + spread, largest))),
    behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" },
  }
  if not fields.direction then
    local function middle(id, text, when, gives)
      behaviours[#behaviours + 1] = behaviour(id) { strength = "soft", ruling = "U3", gives = gives, text = text,
        when = both(unweighted, both(when, negated(near))) }
    end
    middle("middle", "NEAREST_NEIGHBOR: a coordinate in the middle between two elements takes the later one",
      gt(count_middle, 0), { { "down", every_other } })
    middle("middle-one", "the same, where a device does so in one of several dimensions", gt(count_middle, 1), singles)
    middle("middle-many", "the same in three or four dimensions", gt(count_middle, 2), anywhere)
  end
  if fields.antialiased then
    local function some_scale(low, past)
      return both(attribute "Antialiased", some_dimension(function(d)
        local scale = entry("Scales", attribute(fields.count) + (d - RANK))
        return both(ge(scale, low), lt(scale, past))
      end))
    end
    behaviours[#behaviours + 1] = open("antialiased", "Antialiased gives any value if a scale is below 1/2", "U5",
      both(linear, some_scale(0, 0.5)))
    behaviours[#behaviours + 1] = behaviour "antialiased-idle" { strength = "soft", ruling = "U5",
      when = both(linear, some_scale(0.5, 1)), gives = anywhere,
      text = "Antialiased has no effect if no scale is below 1/2" }
  end
  local function resampled_example(...) return example_with(fields, X, Y, ...) end
  local examples = {
    resampled_example("linear", 1, { 1, 1, 2, 2 }, four, floats({ 1, 1, 4, 4 },
      { 1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4 })),
    resampled_example("cropped", 0, { 1, 1, 1, 1 }, floats({ 1, 1, 1, 4 }, { 10, 20, 30, 40 }),
      floats({ 1, 1, 1, 3 }, { 10, 20, 30 })),
    resampled_example("repeated", 0, { 1, 1, 1, 1 }, floats({ 1, 1, 1, 4 }, { 10, 20, 30, 40 }),
      floats({ 1, 1, 1, 6 }, { 10, 20, 30, 40, 40, 40 })),
    resampled_example("pinned", 0, { 1, 1, 0x1.fffffep127, 1 }, four, floats({ 1, 1, 3, 2 }, { 1, 2, 1, 2, 1, 2 }),
      fields.offsets and { InputPixelOffsets = { 0, 0, 0.25, 0 }, OutputPixelOffsets = { 0, 0, 0, 0 } }),
  }
  if not fields.direction then
    -- as DirectML was seen to choose: the lower right element of each block
    local values = {}
    for i = 1, 24 do values[i] = i end
    examples[#examples + 1] = resampled_example("observed", 0, { 1, 1, 0.5, 0.5 }, floats({ 1, 1, 4, 6 }, values),
      floats({ 1, 1, 2, 3 }, { 8, 10, 12, 20, 22, 24 }))
  end
  if fields.offsets then
    local none = { 0, 0, 0, 0 }
    examples[#examples + 1] = resampled_example("corners", 1, { 1, 1, 1, 2 }, floats({ 1, 1, 1, 3 }, { 0, 10, 20 }),
      floats({ 1, 1, 1, 5 }, { 0, 5, 10, 15, 20 }), { InputPixelOffsets = none, OutputPixelOffsets = none })
    examples[#examples + 1] = resampled_example("gradient-page", 0, { 1, 1, 0.5, 1.5 }, four, floats({ 1, 1, 1, 3 },
      { 1, 1, 2 }), { InputPixelOffsets = fields.direction and none or { 0, 0, 0.5, 0.5 }, OutputPixelOffsets = none })
  end
  if fields.direction then
    examples[#examples + 1] = resampled_example("up", 0, { 1, 1, 1, 2 }, floats({ 1, 1, 1, 3 }, { 1, 2, 3 }),
      floats({ 1, 1, 1, 6 }, { 1, 2, 2, 3, 3, 3 }), { RoundingDirection = 0, InputPixelOffsets = { 0, 0, 0, 0 },
        OutputPixelOffsets = { 0, 0, 0, 0 } })
  end
  local function resampled(id, text, mode, low, high, ...)
    return situation(id) { text = text, equal(attr "InterpolationMode", mode), has_scale(low, high or low),
      at_least(size(X, -1), 3), at_least(size(Y, -1), 5), ... }
  end
  local wide = { at_least(D, 4), at_least(size(X, -2), 5), at_least(size(Y, -2), 4) }
  local large = { at_least(D, 4), at_least(size(X, -1), 29), at_least(size(X, -2), 9) }
  local situations = { shape_situations(X),
    resampled("halved", "NEAREST_NEIGHBOR, and all scales are 1/2", 0, 0.5, 0.5, large),
    resampled("doubled", "NEAREST_NEIGHBOR, and all scales are 2", 0, 2.0, 2.0, wide),
    resampled("tripled", "NEAREST_NEIGHBOR, and all scales are 3", 0, 3.0, 3.0, wide),
    resampled("by-any", "NEAREST_NEIGHBOR, and scales are from 1.25 to 1.75", 0, 1.25, 1.75, wide),
    resampled("by-less", "NEAREST_NEIGHBOR, and scales are from 0.6 to 0.9", 0, 0.6, 0.9, large),
    resampled("linear-halved", "LINEAR, and all scales are 1/2", 1, 0.5, 0.5, large),
    resampled("linear-doubled", "LINEAR, and all scales are 2", 1, 2.0, 2.0, wide),
    resampled("linear-tripled", "LINEAR, and all scales are 3", 1, 3.0, 3.0, wide),
    resampled("linear-by-any", "LINEAR, and scales are from 1.25 to 1.75", 1, 1.25, 1.75, wide),
    resampled("linear-by-less", "LINEAR, and scales are from 0.6 to 0.9", 1, 0.6, 0.9, large),
    resampled("linear-tenth", "LINEAR, and scales are from 0.1 to 0.15", 1, 0.1, 0.15, large),
    resampled("linear-unscaled", "LINEAR, and all scales are 1", 1, 1.0, 1.0, wide),
    resampled("cropped", "the output ends before the input", 1, 4.0, 4.0, at_least(size(X, -1), 17),
      at_most(size(Y, -1), 33)),
    resampled("repeated", "the output ends far behind the input", 1, 1.0, 2.0, at_most(size(X, -1), 4),
      at_least(size(Y, -1), 33)),
    resampled("pinned", "scales are the largest FLOAT32, which leaves the offset of the input", 0, 0x1.fffffep127,
      0x1.fffffep127),
    resampled("one-element", "each row has one element", 1, 2.0, 3.0, at_least(D, 2), at_least(size(X, -2), 3)),
    resampled("past-2048", "coordinates of FLOAT16 tensors pass the whole numbers that a FLOAT16 has", 0, 1.0, 1.0,
      equal(data_type(X), 2), at_least(size(X, -1), 4103), at_least(size(Y, -1), 4103)),
    resampled("planes", "LINEAR, and there are several batches and channels", 1, 1.5, 2.0, wide,
      at_least(size(X, 0), 2), at_least(size(X, 1), 3)),
  }
  if fields.direction then
    for direction, word in ipairs { "up", "down" } do
      situations[#situations + 1] = resampled("rounded-" .. word, ("coordinates are rounded %s"):format(word), 0, 1.25,
        1.75, wide, equal(attr "RoundingDirection", direction - 1))
    end
  end
  if fields.antialiased then
    situations[#situations + 1] = resampled("antialiased", "Antialiased and LINEAR, and scales are from 1/2 to 1", 1,
      0.5, 0.9, large, equal(attr "Antialiased", 1))
    situations[#situations + 1] = resampled("antialiased-nearest", "Antialiased and NEAREST_NEIGHBOR", 0, 0.25, 0.4,
      large, equal(attr "Antialiased", 1))
    situations[#situations + 1] = resampled("antialiased-enlarged", "Antialiased and LINEAR, and scales are above 1", 1,
      1.25, 2.0, wide, equal(attr "Antialiased", 1))
  end
  local stages = {}
  for d = 0, RANK - 1 do stages[d + 1] = pixels_along(d, fields) end
  for d = 0, RANK - 1 do stages[#stages + 1] = shares_along(d) end
  stages[#stages + 1] = firsts()
  return declare {
    parameters = { { "d", D } },
    rules = rules_of(name, fields),
    situations = situations,
    stages = stages,
    results = { result(Y) { mean(), FLOAT32 = bound(0x1p-24), integers = choose(linear, 1, 0),
      FLOAT16 = { soft = bound(0x1p-24), must = bound(0x1p-11) } } },
    domains = { [X] = { -8, 8 }, Scales = { 0.25, 4, usual = 1 },
      InputPixelOffsets = fields.offsets and { -1, 1, usual = 0.5 } or nil,
      OutputPixelOffsets = fields.offsets and { -1, 1, usual = -0.5 } or nil },
    behaviours = behaviours,
    examples = examples,
  }
end

-- ---- RESAMPLE_GRAD, RESAMPLE_GRAD1

local dX, dY = "OutputGradientTensor", "InputGradientTensor"
local backward = { from = fit(sizes(dX), RANK), to = fit(sizes(dY), RANK), input = dY }

-- Entries of the stages of weights. HERE: the weight of an element if the device rounds a coordinate between two
-- elements as the ruling says; THERE: if it takes the other element; EVEN: if it takes the even one. MOST, LEAST: the
-- largest and the least weight that FLOAT32 may give; with NEAREST_NEIGHBOR, LEAST is the largest weight of finite
-- gradients. EITHER: 1 where FLOAT32 may take either element, an infinity where it may take any; the stages of sums
-- have no such entry.
local HERE, THERE, EVEN, MOST, LEAST, EITHER = 0, 1, 2, 3, 4, 5
local WEIGHTS, SUMS = EITHER + 1, LEAST + 1

-- The offsets as fields of RESAMPLE, or exchanged, as if they were those of this operator's input and output.
local DIRECT, EXCHANGED = 0, 1
local READINGS = 2

local function columns(d) return "columns" .. d end
local function sums(d) return "sums" .. d end

-- Makes a stage that places the elements of InputGradientTensor along a dimension, by either reading of the offsets.
local function pixels_of_readings(d, fields)
  local all = {}
  for reading = DIRECT, EXCHANGED do
    local entries = pixel_entries(d, fields, backward, reading == EXCHANGED)
    for i = POSITION, REACH do all[reading * (REACH + 1) + i] = entries[i] end
  end
  return stage(pixels(d)) { sizes = concat(READINGS * (REACH + 1), entry(backward.to, d)),
    entry_at(coordinate(-2), all, READINGS * (REACH + 1) - 1) }
end

-- Makes a stage with the weights along a dimension: of each element of OutputGradientTensor in each one of
-- InputGradientTensor.
local function weights_along(d)
  local name = columns(d)
  local i, all = coordinate(-2), {}
  for reading = DIRECT, EXCHANGED do
    local function of(k) return element_at(pixels(d), concat(reading * (REACH + 1) + k, entry(place(name), 2))) end
    local state = of(STATE)
    local here, there = share_of(of(POSITION), i), share_of(of(OTHER), i)
    local is_sure = either(eq(state, OUTSIDE), eq(as_number(entry(backward.from, d), dY), 1))
    local doubt = choose(is_sure, 0, 8 * spacing_of(dY, 1) * (1 + of(REACH)))
    local widened = max(0, 1 + doubt - abs(of(POSITION) - i))
    local is_odd = ne(of(POSITION) / 2, floor(of(POSITION) / 2))
    local even = choose(both(eq(state, MIDDLE), is_odd), there, here)
    local entries = { [HERE] = here, [THERE] = there, [EVEN] = even, [MOST] = choose(linear, widened, max(here, there)),
      [LEAST] = choose(linear, here, max(here, there)),
      [EITHER] = choose(eq(state, NO_NUMBER), inf, both(eq(state, NEAR), ne(here, there))) }
    for k = HERE, EITHER do all[reading * WEIGHTS + k] = entries[k] end
  end
  return stage(name) { sizes = concat(READINGS * WEIGHTS, entry(backward.from, d), entry(backward.to, d)),
    entry_at(coordinate(-3), all, READINGS * WEIGHTS - 1) }
end

-- Makes a stage with sums over a dimension, of the sums over the dimensions before it.
local function sums_along(d)
  local name = sums(d)
  local at, all = slice(place(name), 1, RANK + 1), {}
  local size = entry(backward.to, d)
  local t = entry(step(concat(size)), 0)
  for reading = DIRECT, EXCHANGED do
    for k = HERE, LEAST do
      local before = replace(at, d, t)
      local share, from = element(columns(d)), { [columns(d)] = concat(reading * WEIGHTS + k, entry(at, d), t) }
      local of = element(d > 0 and sums(d - 1) or dY)
      if d > 0 then
        from[sums(d - 1)] = concat(reading * SUMS + k, before)
      else
        from[dY] = slice(before, RANK - dims(dY), RANK)
        of = k >= MOST and abs(of) or of
        of = k == LEAST and choose(either(linear, lt(of, inf)), of, 0) or of
      end
      local sum = over { sizes = concat(size), fold = "sum", at = from, choose(gt(share, 0), share * of, 0) }
      all[reading * SUMS + k] = (k == THERE or k == EVEN) and choose(linear, 0, sum) or sum
    end
  end
  return stage(name) { sizes = concat(READINGS * SUMS, slice(backward.from, 0, d + 1), slice(backward.to, d + 1, RANK)),
    entry_at(coordinate(-RANK - 1), all, READINGS * SUMS - 1) }
end

local function gradient_examples(reference, fields)
  local none, centres = { 0, 0, 0, 0 }, { 0, 0, 0.5, 0.5 }
  local function given(id, mode, list_of_scales, input, output, more)
    return example_with(fields, dY, dX, id, mode, list_of_scales, input, output, more)
  end
  local function row(id, mode, scale, input, output, more)
    return given(id, mode, { 1, 1, 1, scale }, floats({ 1, 1, 1, #input }, input), floats({ 1, 1, 1, #output }, output),
      more)
  end
  local function page_example(id, output, more)
    more.page = reference
    return given(id, 0, { 1, 1, 0.5, 1.5 }, floats({ 1, 1, 1, 3 }, { 4, 5, 6 }), floats({ 1, 1, 2, 2 }, output), more)
  end
  local unmoved = { InputPixelOffsets = none, OutputPixelOffsets = none }
  local sixteen = {}
  for i = 1, 16 do sixteen[i] = i end
  local all = {
    page_example("page", { 9, 6, 0, 0 }, { InputPixelOffsets = fields.direction and none or centres,
      OutputPixelOffsets = none }),
    row("linear", 1, 2, { 1, 2, 3, 4 }, { 3.25, 6.75 }),
    given("linear-square", 1, { 1, 1, 2, 2 }, floats({ 1, 1, 4, 4 }, sixteen),
      floats({ 1, 1, 2, 2 }, { 16.5, 23.5, 44.5, 51.5 })),
    row("corners", 1, 2, { 1, 2, 3, 4, 5 }, { 2, 6, 7 }, unmoved),
    row("untouched", 0, 1, { 10, 20, 30 }, { 10, 20, 30, 0, 0 }),
    row("repeated", 0, 1, { 1, 2, 3, 4, 5, 6 }, { 1, 2, 3, 15 }),
    given("pinned", 0, { 1, 1, 0x1.fffffep127, 1 }, floats({ 1, 1, 3, 2 }, { 1, 2, 3, 4, 5, 6 }),
      floats({ 1, 1, 2, 2 }, { 9, 12, 0, 0 }), { InputPixelOffsets = { 0, 0, 0.25, 0 }, OutputPixelOffsets = none }),
  }
  if fields.direction then
    all[#all + 1] = page_example("page-increasing", { 9, 6, 0, 0 }, { RoundingDirection = 0,
      InputPixelOffsets = { 1, 1, 1, 1 }, OutputPixelOffsets = { -0.5, -0.5, -0.5, -0.5 } })
    all[#all + 1] = row("up", 0, 2, { 1, 2, 3, 4, 5, 6 }, { 1, 5, 15 }, { RoundingDirection = 0,
      InputPixelOffsets = none, OutputPixelOffsets = none })
    all[#all + 1] = row("down", 0, 2, { 1, 2, 3, 4, 5, 6 }, { 3, 7, 11 }, unmoved)
  else
    all[#all + 1] = given("centres", 0, { 1, 1, 0.5, 1.5 }, floats({ 1, 1, 1, 3 }, { 0.25, 0.5, 0.75 }),
      floats({ 1, 1, 2, 2 }, { 0, 0, 0.25, 1.25 }), {})
    all[#all + 1] = row("halves-up", 0, 0.5, { 0.5, 1 }, { 0, 0.5, 0, 1 })
  end
  return all
end

local function gradient_situations(fields)
  local function given(id, text, mode, low, high, ...)
    return situation(id) { text = text, equal(attr "InterpolationMode", mode), has_scale(low, high),
      at_least(size(dY, -1), 5), at_least(size(dX, -1), 3), ... }
  end
  local function offsets_are(low, high)
    return { at_least(list "InputPixelOffsets", low), at_most(list "InputPixelOffsets", high),
      at_least(list "OutputPixelOffsets", low), at_most(list "OutputPixelOffsets", high) }
  end
  local wide = { at_least(dims(dY), 4), at_least(size(dY, -2), 5), at_least(size(dX, -2), 4) }
  local large = { at_least(dims(dY), 4), at_least(size(dX, -1), 13), at_least(size(dX, -2), 9) }
  local all = { shape_situations(dY),
    given("halved", "NEAREST_NEIGHBOR, and all scales are 1/2", 0, 0.5, 0.5, large),
    given("doubled", "NEAREST_NEIGHBOR, and all scales are 2", 0, 2.0, 2.0, wide),
    given("tripled", "NEAREST_NEIGHBOR, and all scales are 3", 0, 3.0, 3.0, wide),
    given("by-any", "NEAREST_NEIGHBOR, and scales are from 1.25 to 1.75", 0, 1.25, 1.75, wide),
    given("by-less", "NEAREST_NEIGHBOR, and scales are from 0.6 to 0.9", 0, 0.6, 0.9, large),
    given("linear-halved", "LINEAR, and all scales are 1/2", 1, 0.5, 0.5, large),
    given("linear-doubled", "LINEAR, and all scales are 2", 1, 2.0, 2.0, wide),
    given("linear-tripled", "LINEAR, and all scales are 3", 1, 3.0, 3.0, wide),
    given("linear-by-any", "LINEAR, and scales are from 1.25 to 1.75", 1, 1.25, 1.75, wide),
    given("linear-by-less", "LINEAR, and scales are from 0.6 to 0.9", 1, 0.6, 0.9, large),
    given("linear-tenth", "LINEAR, and scales are from 0.1 to 0.15", 1, 0.1, 0.15, large),
    given("linear-unscaled", "LINEAR, and all scales are 1", 1, 1.0, 1.0, wide),
    given("unmoved", "NEAREST_NEIGHBOR, and all offsets are 0, which exchanged are the same", 0, 1.25, 1.75, wide,
      offsets_are(0.0, 0.0)),
    given("linear-unmoved", "LINEAR, and all offsets are 0, which exchanged are the same", 1, 1.25, 1.75, wide,
      offsets_are(0.0, 0.0)),
    given("moved", "NEAREST_NEIGHBOR, and all offsets are 1/2, which exchanged are the same", 0, 1.25, 1.75, wide,
      offsets_are(0.5, 0.5)),
    given("linear-moved", "LINEAR, and all offsets are 1/2, which exchanged are the same", 1, 1.25, 1.75, wide,
      offsets_are(0.5, 0.5)),
    given("linear-moved-down", "LINEAR, all offsets are 1/2, and scales are from 0.6 to 0.9", 1, 0.6, 0.9, large,
      offsets_are(0.5, 0.5)),
    given("untouched", "many elements have no gradient", 1, 4.0, 4.0, at_most(size(dY, -1), 33),
      at_least(size(dX, -1), 17)),
    given("repeated", "most gradients lie behind the last element, which gets all of them", 1, 1.0, 2.0,
      at_least(size(dY, -1), 33), at_most(size(dX, -1), 4)),
    given("gathered", "each element gets more than 64 gradients", 0, 67.0, 71.0, at_least(size(dY, -1), 257),
      at_most(size(dX, -1), 4)),
    given("pinned", "scales are the largest FLOAT32, which leaves the offset of the input", 0, 0x1.fffffep127,
      0x1.fffffep127),
    situation "one-element" { text = "all gradients of a row go to one element", equal(attr "InterpolationMode", 1),
      has_scale(2.0, 3.0), at_least(dims(dY), 2), at_least(size(dY, -2), 3), at_least(size(dY, -1), 5),
      equal(size(dX, -1), 1) },
    given("planes", "LINEAR, and there are several batches and channels", 1, 1.5, 2.0, wide, at_least(size(dY, 0), 2),
      at_least(size(dY, 1), 3), at_least(size(dX, 0), 2), at_least(size(dX, 1), 3)),
    situation "special" { text = "gradients are the extremes of their type, NaNs and infinities", fill = "special",
      equal(attr "InterpolationMode", 0), has_scale(1.0, 1.0), at_least(size(dY, -1), 17), at_least(size(dX, -1), 9) },
  }
  if fields.direction then
    for direction, word in ipairs { "up", "down" } do
      all[#all + 1] = given("rounded-" .. word, ("coordinates are rounded %s"):format(word), 0, 1.25, 1.75, wide,
        offsets_are(0.0, 0.0), equal(attr "RoundingDirection", direction - 1))
    end
  end
  return all
end

local function resample_gradient(name, fields)
  local reference = "DML_" .. name
  local declare = operator(name)
  local at_gradient = concat(filled(0, RANK - dims(dX)), place(dX))
  fields.count, fields.offsets, fields.input = "DimensionCount", true, dY
  local function sum_of(reading, k) return element_at(sums(RANK - 1), concat(reading * SUMS + k, at_gradient)) end
  -- Adds up a weight along a dimension.
  local function count_of(d, reading, k, condition)
    local size = concat(entry(backward.to, d))
    local at = concat(reading * WEIGHTS + k, entry(at_gradient, d), step(size))
    return over { sizes = size, fold = "sum", at = { [columns(d)] = at }, condition(element(columns(d))) }
  end
  local unweighted = negated(linear)
  -- Returns the sums and counts that a reading of the offsets gives.
  local function read(reading)
    local largest_sum, least_sum = sum_of(reading, MOST), sum_of(reading, LEAST)
    local function is_touched(share) return gt(share, 0) end
    local terms = all_dimensions(function(d) return count_of(d, reading, MOST, is_touched) end,
      function(a, b) return a * b end)
    local doubtful = all_dimensions(function(d) return count_of(d, reading, EITHER, function(a) return a end) end,
      function(a, b) return a + b end)
    local function call(formula, short) return named(formula, reading == EXCHANGED and short .. "'" or short) end
    return { value = sum_of(reading, HERE), other = sum_of(reading, THERE), even = sum_of(reading, EVEN),
      most = largest_sum, of_finite = choose(linear, largest_sum, least_sum), terms = call(terms, "terms"),
      doubtful = call(doubtful, "doubtful"),
      doubt = call(largest_sum - least_sum, "doubt") }
  end
  local direct, exchanged = read(DIRECT), read(EXCHANGED)
  -- Sums round in any order, and products of weights before; a gradient that is the only one is copied.
  local function rounded(one, unit)
    local size = max(one.most, smallest_normal)
    return choose(linear, (one.terms + pow(2, attribute "DimensionCount" + 1)) * unit * size,
      choose(gt(one.terms, 1), (one.terms - 1) * unit * size, 0))
  end
  local function bound(unit, share_of_doubt)
    return rounded(direct, unit) + choose(linear, share_of_doubt * direct.doubt, 0) +
      choose(either(linear, gt(direct.terms, 1)), ulp(0.5), 0)
  end
  local own = spacing_of(dY, 0.5)
  local exchanged_error = rounded(exchanged, own) + choose(linear, exchanged.doubt, 0)
  local behaviours = {
    behaviour "adds" { page = reference, text = "each element is the sum of the gradients of those elements that " ..
      "RESAMPLE would compute from it, times its weight in each; without any it is 0" },
  }
  local function add(one) behaviours[#behaviours + 1] = one end
  -- Adds what is open, or soft, near the points where the nearest element changes.
  local function add_near(suffix, one, more)
    local function now(condition) return both(unweighted, both(more, condition)) end
    local again = suffix == "" and "" or ", with offsets exchanged"
    add(open("near" .. suffix, "a gradient whose coordinate FLOAT32 may place on either side of the point at which " ..
      "the nearest element changes may go to either element" .. again, "U4",
      now(both(gt(one.doubtful, 0), ne(one.value, one.other))), { { "other" .. suffix, one.other } }))
    add(open("near-several" .. suffix, "several such gradients may go to either element, each by itself" .. again, "U4",
      now(gt(one.doubtful, 1)), { { "between" .. suffix, within(one.value, one.doubt) } }))
    if not fields.direction then
      add(behaviour("middle" .. suffix) { strength = "soft", ruling = "U3", text = "NEAREST_NEIGHBOR: a gradient in " ..
        "the middle between two elements goes to the later one; the earlier or the even one is a warning" .. again,
        when = now(both(eq(one.doubtful, 0), either(ne(one.value, one.other), ne(one.value, one.even)))),
        gives = { { "down" .. suffix, one.other }, { "even" .. suffix, one.even } } })
    end
  end
  add_near("", direct, 1)
  local differs = ne(direct.value, exchanged.value)
  add(open("offsets-exchanged",
    "the offsets may count as each other, as if they belonged to this operator's own input and output",
    "U8", differs, { { "exchanged", within(exchanged.value, exchanged_error) } }))
  add_near("-exchanged", exchanged, 1)
  add(open("no-number", "a coordinate that is no number, or beyond 2^20, gives any value", "U6",
    either(eq(direct.doubtful, inf), eq(exchanged.doubtful, inf))))
  add(open("infinite", "if a gradient with a weight, or one near the point at which the nearest element changes, is " ..
    "not finite, any value is right", "U2",
    both(either(linear, gt(direct.doubtful + exchanged.doubtful, 0)),
      negated(both(lt(direct.most, inf), lt(exchanged.most, inf))))))
  add(open("range", "where the sum of magnitudes is beyond the type, any value is right", "S3",
    both(gt(direct.terms, 1), both(lt(direct.most, inf), gt(direct.most, largest)))))
  add(open("range-infinite", "where the sum of magnitudes of finite gradients is beyond the type, an infinity among " ..
    "the others may give a NaN", "S3", both(is_inf(direct.value), gt(direct.of_finite, largest)),
    { { "undefined", nan } }))
  add(open("range-exchanged", "the same two, with offsets exchanged: any infinity or a NaN is right", "S3",
    both(differs, both(gt(exchanged.terms, 1), gt(exchanged.of_finite, largest))),
    { { "high", inf }, { "low", -inf }, { "undefined", nan } }))
  add(behaviour "denormals" { text = "denormals are not flushed to zero", strength = "soft", ruling = "E7" })
  local stages = {}
  for d = 0, RANK - 1 do stages[#stages + 1] = pixels_of_readings(d, fields) end
  for d = 0, RANK - 1 do stages[#stages + 1] = weights_along(d) end
  for d = 0, RANK - 1 do stages[#stages + 1] = sums_along(d) end
  return declare {
    parameters = { { "d", dims(dY) } },
    rules = rules_of(name, fields),
    situations = gradient_situations(fields),
    stages = stages,
    results = { result(dX) { direct.value, FLOAT32 = bound(0x1p-24, 1),
      FLOAT16 = { soft = bound(0x1p-24, 0x1p-13), must = bound(0x1p-11, 1) } } },
    domains = { [dY] = { -8, 8 }, Scales = { 0.25, 4, usual = 1 }, InputPixelOffsets = { -1, 1, usual = 0.5 },
      OutputPixelOffsets = { -1, 1, usual = -0.5 } },
    behaviours = behaviours,
    examples = gradient_examples(reference, fields),
  }
end

return {
  upsample,
  define("RESAMPLE", resample, { count = "ScaleCount" }),
  define("RESAMPLE1", resample, { count = "DimensionCount", offsets = true }),
  define("RESAMPLE2", resample, { count = "DimensionCount", offsets = true, direction = true }),
  define("RESAMPLE3", resample, { count = "DimensionCount", offsets = true, direction = true, antialiased = true }),
  define("RESAMPLE_GRAD", resample_gradient, {}),
  define("RESAMPLE_GRAD1", resample_gradient, { direction = true }),
}
