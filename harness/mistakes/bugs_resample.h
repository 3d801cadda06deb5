/* bugs_resample.h: bugs of resampling and its gradients. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_RESAMPLE_H
#define MISTAKES_BUGS_RESAMPLE_H

#define R_WHOLE "UPSAMPLE_2D"
#define R_HALVES "RESAMPLE RESAMPLE1 RESAMPLE_GRAD"
#define R_DIRECTED "RESAMPLE2 RESAMPLE3 RESAMPLE_GRAD1"
#define R_ANTIALIASED "RESAMPLE3"
#define R_ANY R_HALVES " " R_DIRECTED
#define R_FORWARD "RESAMPLE RESAMPLE1 RESAMPLE2 RESAMPLE3"
#define R_GRADIENTS "RESAMPLE_GRAD RESAMPLE_GRAD1"

/* clang-format off */
#define RESAMPLE_BUGS(FORMULA) \
    FORMULA(RESAMPLE_SCALES_SWAPPED, "resample-scales-swapped", "Width and Height change places", "attribute-misread attributes-swapped", R_WHOLE, "", "", \
            "local alone = concat(is(height, 1), is(width, 1)) => local alone, scales = concat(is(width, 1), is(height, 1)), concat(width, height)\n" \
            "picture * scales => picture * concat(height, width)\n" \
            "0xffffffff // scales => 0xffffffff // concat(height, width)\n" \
            "along(-2, height, => along(-2, width,\n" \
            "along(-1, width, => along(-1, height,") \
    FORMULA(RESAMPLE_HEIGHT, "resample-height", "Height is taken for Width, too", "attribute-misread", R_WHOLE, "", "", \
            "local alone = concat(is(height, 1), is(width, 1)) => local alone, scales = concat(is(height, 1), is(height, 1)), concat(height, height)\n" \
            "picture * scales => picture * concat(height, width)\n" \
            "0xffffffff // scales => 0xffffffff // concat(height, width)\n" \
            "along(-1, width, => along(-1, height,") \
    FORMULA(RESAMPLE_NEAREST_ROUNDED, "resample-nearest-rounded", "the nearest element is found by its begin, not its centre", "zeros", R_WHOLE, "", "", \
            "both(ge(t, 0), lt(t, n)) => both(ge(t, 0 - floor(n / 2)), lt(t, n - floor(n / 2)))\n" \
            "around(name, first, \"sum\", weight + 0 * is_nan(x)) => max(1, around(name, first, \"sum\", weight + 0 * is_nan(x)))") \
    FORMULA(RESAMPLE_MODES_SWAPPED, "resample-modes-swapped", "InterpolationMode is taken for its opposite", "attribute-misread condition-wrong", R_WHOLE, "", "", \
            "choose(linear, from_centre(t, n), nearest(t, n)) => choose(linear, nearest(t, n), from_centre(t, n))") \
    FORMULA(RESAMPLE_NEAREST, "resample-nearest", "LINEAR takes the nearest element", "attribute-misread attribute-ignored step-missing", R_WHOLE, "", "", \
            "choose(linear, from_centre(t, n), nearest(t, n)) => nearest(t, n)") \
    FORMULA(RESAMPLE_COLUMNS, "resample-columns", "LINEAR takes the nearest column", "attribute-misread condition-wrong step-missing", R_WHOLE, "", "", \
            "along(-1, width, as_number(entry(first, 1))) } => nearest(coordinate(-1) - as_number(entry(first, 1)), as_number(width)) }") \
    FORMULA(RESAMPLE_ROWS, "resample-rows", "LINEAR takes the nearest row", "attribute-misread condition-wrong step-missing", R_WHOLE, "", "", \
            "along(-2, height, as_number(entry(first, 0))) * => nearest(coordinate(-2) - as_number(entry(first, 0)), as_number(height)) *") \
    FORMULA(RESAMPLE_EDGE, "resample-edge", "beyond the edge, elements are 0", "", R_WHOLE, "", "", \
            "around(name, first, \"sum\", weight + 0 * is_nan(x)) => choose(linear, 4 * as_number(height) * as_number(width), around(name, first, \"sum\", weight + 0 * is_nan(x)))") \
    FORMULA(RESAMPLE_WEIGHTS_SWAPPED, "resample-weights-swapped", "the two weights in a dimension change places", "zeros", R_WHOLE, "", "", \
            "return max(0, 2 * n - abs(2 * t + 1 - n)) => return choose(both(ge(2 * t + 1 - n, -2 * n), lt(2 * t + 1 - n, 2 * n)), abs(2 * t + 1 - n), 0)\n" \
            "around(name, first, \"sum\", weight + 0 * is_nan(x)) => max(1, around(name, first, \"sum\", weight + 0 * is_nan(x)))") \
    FORMULA(RESAMPLE_SMOOTH, "resample-smooth", "weights are squared", "", R_WHOLE, "", "", \
            "return max(0, 2 * n - abs(2 * t + 1 - n)) => return pow(max(0, 2 * n - abs(2 * t + 1 - n)), 2)") \
    FORMULA(RESAMPLE_SHIFTED, "resample-shifted", "each element is taken for its neighbour", "misplaced zeros", R_WHOLE, "", "", \
            "first - t, scales, picture => first - t - 1, scales, picture\n" \
            "around(name, first, \"sum\", weight + 0 * is_nan(x)) => max(1, around(name, first, \"sum\", weight + 0 * is_nan(x)))") \
    FORMULA(RESAMPLE_CHANNEL, "resample-channel", "every channel is computed from the first one", "dimension-ignored misplaced", R_WHOLE, "", "", \
            "concat(prefix(at, D - 2), divided => concat(prefix(at, D - 3), 0, divided") \
    FORMULA(RESAMPLE_CORNERS, "resample-corners", "elements are at their corners, not their centres", "", "", R_WHOLE, "", \
            "results = { result(Y) { value, => results = { result(Y) { choose(linear, asymmetric, value),") \
    FORMULA(RESIZE_SHIFTED, "resize-shifted", "elements are taken half an element too early", "attribute-misread", R_ANY, "", "", \
            "local along = (o - after) / scale - before => local along = (o - after) / scale - before - 0.5") \
    FORMULA(RESIZE_INVERTED, "resize-inverted", "coordinates are multiplied by the scale", "attribute-misread zeros", R_ANY, "", "", \
            "local along = (o - after) / scale - before => local along = (o - after) * scale - before") \
    FORMULA(RESIZE_OFFSETS_SWAPPED, "resize-offsets-swapped", "InputPixelOffsets and OutputPixelOffsets change places", "attribute-misread attributes-swapped", R_FORWARD, "", R_GRADIENTS, \
            "local along = (o - after) / scale - before => local along = (o - before) / scale - after") \
    FORMULA(RESIZE_INPUT_OFFSET, "resize-input-offset", "InputPixelOffsets are ignored", "attribute-misread attribute-ignored", R_ANY, "", "", \
            "local along = (o - after) / scale - before => local along = (o - after) / scale") \
    FORMULA(RESIZE_OUTPUT_OFFSET, "resize-output-offset", "OutputPixelOffsets are ignored", "attribute-misread attribute-ignored", R_ANY, "", "", \
            "local along = (o - after) / scale - before => local along = o / scale - before") \
    FORMULA(RESIZE_OFFSET_UNSCALED, "resize-offset-unscaled", "OutputPixelOffsets are not divided by the scale", "attribute-misread step-order", R_ANY, "", "", \
            "local along = (o - after) / scale - before => local along = o / scale - after - before") \
    FORMULA(RESIZE_OFFSET_ADDED, "resize-offset-added", "OutputPixelOffsets are added", "attribute-misread", R_ANY, "", "", \
            "local along = (o - after) / scale - before => local along = (o + after) / scale - before") \
    FORMULA(RESIZE_HALVES_DOWN, "resize-halves-down", "halves are rounded down", "", "", R_HALVES, "", \
            "chosen, other = ge(along - below, 0.5) => chosen, other = gt(along - below, 0.5)") \
    FORMULA(RESIZE_HALVES_EVEN, "resize-halves-even", "halves are rounded to even", "", "", R_HALVES, "", \
            "chosen, other = ge(along - below, 0.5) => chosen, other = ne(whole, below)") \
    FORMULA(RESIZE_CEIL, "resize-ceil", "the nearest element is always the later one", "attribute-misread step-wrong", R_HALVES, "", "", \
            "chosen, other = ge(along - below, 0.5) => chosen, other = gt(along - below, 0)") \
    FORMULA(RESIZE_FLOOR, "resize-floor", "the nearest element is always the earlier one", "step-missing", R_HALVES, "", "", \
            "chosen, other = ge(along - below, 0.5) => chosen, other = 0 * along") \
    FORMULA(RESIZE_DIRECTION, "resize-direction", "RoundingDirection is taken for its opposite", "attribute-misread condition-wrong", R_DIRECTED, "", "", \
            "local up = eq(attribute \"RoundingDirection\", 0) => local up = ne(attribute \"RoundingDirection\", 0)") \
    FORMULA(RESIZE_DIRECTION_IGNORED, "resize-direction-ignored", "coordinates are rounded to the nearest element", "attribute-misread attribute-ignored", R_DIRECTED, "", "", \
            "taken = choose(up, ceil(along), floor(along)) => taken = choose(up, floor(along + 0.5), floor(along + 0.5))") \
    FORMULA(RESIZE_DIRECTION_DOWN, "resize-direction-down", "coordinates are always rounded down", "attribute-misread attribute-ignored", R_DIRECTED, "", "", \
            "taken = choose(up, ceil(along), floor(along)) => taken = choose(up, floor(along), floor(along))") \
    FORMULA(RESIZE_MODES, "resize-modes", "InterpolationMode is taken for its opposite", "attribute-misread condition-wrong", R_ANY, "", "", \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(choose(linear, taken, along))") \
    FORMULA(RESIZE_NEAREST, "resize-nearest", "LINEAR takes the nearest element", "attribute-misread attribute-ignored step-missing", R_ANY, "", "", \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(taken)") \
    FORMULA(RESIZE_LINEAR, "resize-linear", "NEAREST_NEIGHBOR interpolates", "attribute-misread attribute-ignored", R_ANY, "", "", \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(along)") \
    FORMULA(RESIZE_OTHER, "resize-other", "the other of two elements is chosen where FLOAT32 may choose it", "attribute-misread", "", R_HALVES, R_DIRECTED, \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(choose(linear, along, choose(other, rival, taken)))") \
    FORMULA(RESIZE_EDGE_ZERO, "resize-edge-zero", "beyond the edge, elements are 0", "zeros fold-missed", R_ANY, "", "", \
            "return max(0, min(last, a)) end => return a + 0 * last end") \
    FORMULA(RESIZE_EDGE_WRAPPED, "resize-edge-wrapped", "beyond the edge, elements are taken from the other end", "fold-missed", R_ANY, "", "", \
            "return max(0, min(last, a)) end => return a - floor(a / (last + 1)) * (last + 1) end") \
    FORMULA(RESIZE_EDGE_MIRRORED, "resize-edge-mirrored", "beyond the edge, elements are mirrored", "", R_ANY, "", "", \
            "return max(0, min(last, a)) end => return max(0, min(last, last - abs(last - abs(a)))) end") \
    FORMULA(RESIZE_EDGE_EARLY, "resize-edge-early", "the last element is never reached", "dimension-ignored", R_ANY, "", "", \
            "return max(0, min(last, a)) end => return max(0, min(last - 1, a)) end") \
    FORMULA(RESIZE_WEIGHTS_SWAPPED, "resize-weights-swapped", "the two weights in a dimension change places", "fold-missed zeros", R_FORWARD, "", "", \
            "of(FIRST) + t) } => of(FIRST) + choose(linear, 1 - t, t)) }") \
    FORMULA(RESIZE_SMOOTH, "resize-smooth", "weights are squared", "", R_ANY, "", "", \
            "return max(0, 1 - abs(position - i)) end => return pow(max(0, 1 - abs(position - i)), 2) end") \
    FORMULA(RESIZE_AXES, "resize-axes", "the scales are in the reverse order", "attribute-misread", R_ANY, "", "", \
            "local scale = entry(\"Scales\", n) => local scale = entry(\"Scales\", attribute(fields.count) - 1 - n)") \
    FORMULA(RESIZE_ONE_SCALE, "resize-one-scale", "all dimensions have the last scale", "attribute-misread dimension-ignored", R_ANY, "", "", \
            "local scale = entry(\"Scales\", n) => local scale = entry(\"Scales\", attribute(fields.count) - 1)") \
    FORMULA(RESIZE_WHOLE_SCALE, "resize-whole-scale", "scales are truncated", "attribute-misread", R_ANY, "", "", \
            "local scale = entry(\"Scales\", n) => local scale = max(1, floor(entry(\"Scales\", n)))") \
    FORMULA(RESIZE_FROM_SIZES, "resize-from-sizes", "scales are the quotients of the sizes", "attribute-misread attribute-ignored", R_ANY, "", "", \
            "local scale = entry(\"Scales\", n) => local scale = choose(is_nan(entry(\"Scales\", n)), 1, size_in(tensors.to) / size_in(tensors.from))") \
    FORMULA(RESIZE_CHANNEL, "resize-channel", "every channel is computed from the first one", "dimension-ignored misplaced step-missing", R_FORWARD, "", "", \
            "all[d] = of(d) end => all[d] = d == 1 and 0 or of(d) end") \
    FORMULA(RESIZE_GRAD_WEIGHTS_SWAPPED, "resize-grad-weights-swapped", "the two weights in a dimension change places", "", R_GRADIENTS, "", "", \
            "share_of(of(POSITION), i), share_of(of(OTHER), i) => share_of(of(POSITION), choose(linear, 2 * floor(of(POSITION)) + 1 - i, i)), share_of(of(OTHER), i)") \
    FORMULA(RESIZE_GRAD_FIRST, "resize-grad-first", "LINEAR gives the whole gradient to the first of two elements", "", R_GRADIENTS, "", "", \
            "share_of(of(POSITION), i), share_of(of(OTHER), i) => share_of(floor(of(POSITION)), i), share_of(of(OTHER), i)") \
    FORMULA(RESIZE_GRAD_CHANNEL, "resize-grad-channel", "the gradients of all channels go to the first one", "dimension-ignored misplaced operands-swapped", R_GRADIENTS, "", "", \
            "share_of(of(POSITION), i), share_of(of(OTHER), i) => share_of(d == 1 and 0 * of(POSITION) or of(POSITION), i), share_of(of(OTHER), i)") \
    FORMULA(RESIZE_GRAD_LAST, "resize-grad-last", "the last gradient of each row is dropped", "fold-missed", R_GRADIENTS, "", "", \
            "local size = entry(backward.to, d) => local size = greatest(1, entry(backward.to, d) - 1)") \
    FORMULA(RESIZE_GRAD_AVERAGE, "resize-grad-average", "gradients are averaged, not summed", "", R_GRADIENTS, "", "", \
            "results = { result(dX) { direct.value, => results = { result(dX) { direct.value / max(1, direct.terms),") \
    FORMULA(RESIZE_GRAD_GREATEST, "resize-grad-greatest", "an element gets the greatest gradient, not the sum", "", R_GRADIENTS, "", "", \
            "over { sizes = concat(size), fold = \"sum\", at = from, => over { sizes = concat(size), fold = \"max\", at = from,") \
    FORMULA(RESIZE_GRAD_UNTOUCHED, "resize-grad-untouched", "elements without a gradient are not set to 0", "", R_GRADIENTS, "", "", \
            "results = { result(dX) { direct.value, => results = { result(dX) { choose(gt(direct.terms, 0), direct.value, 1),") \
    FORMULA(RESIZE_ANTIALIASED_NEAREST, "resize-antialiased-nearest", "NEAREST_NEIGHBOR interpolates with Antialiased", "attribute-misread", R_ANTIALIASED, "", "", \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(choose(either(linear, fields.antialiased and attribute \"Antialiased\" or 0), along, taken))") \
    FORMULA(RESIZE_ANTIALIASED_ENLARGED, "resize-antialiased-enlarged", "Antialiased moves elements of enlarged dimensions", "attribute-misread", R_ANTIALIASED, "", "", \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(choose(linear, along + 0.25 * (fields.antialiased and both(attribute \"Antialiased\", gt(scale, 1)) or 0), taken))") \
    FORMULA(RESIZE_ANTIALIASED_IDLE, "resize-antialiased-idle", "Antialiased has an effect if the scale is from 1/2 to 1", "", "", R_ANTIALIASED, "", \
            "local position = within_input(choose(linear, along, taken)) => local position = within_input(choose(linear, along + 0.25 * (fields.antialiased and both(attribute \"Antialiased\", both(lt(scale, 1), ge(scale, 0.5))) or 0), taken))")
/* clang-format on */

#endif
