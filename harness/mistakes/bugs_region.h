/* bugs_region.h: bugs of operators on regions of pictures. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_REGION_H
#define MISTAKES_BUGS_REGION_H

#define G_POOLING "ROI_POOLING"
#define G_ALIGNED "ROI_ALIGN ROI_ALIGN1"
#define G_GRADIENT "ROI_ALIGN_GRAD"
#define G_SCALED G_ALIGNED " " G_GRADIENT

/* clang-format off */
#define REGION_BUGS(FORMULA) \
    FORMULA(REGION_FROM_LOWEST, "region-from-lowest", "a maximum begins with the lowest finite number", "fold-from-lowest infinity-largest", G_POOLING, "", "", \
            "choose(gt(count_of(rows, columns), 0), top, 0) => choose(gt(count_of(rows, columns), 0), choose(lt(top, lowest), lowest, top), 0)") \
    FORMULA(REGION_BATCH, "region-batch", "every region is in the first batch", "dimension-ignored", G_POOLING, "", "", \
            "local batch = eq(coordinate(-2), entry_of_region(place(rows), 0)) => local batch = eq(coordinate(-2), 0)") \
    FORMULA(REGION_AXES, "region-axes", "x and y of a corner change places", "", G_POOLING, "", "", \
            "d == 3 and 1 or 2 => d == 3 and 2 or 1") \
    FORMULA(REGION_FIRST, "region-first", "the first region is taken for all", "dimension-ignored", G_POOLING, "", "", \
            "concat(filled(0, dims(ROI) - 2), entry(at, 0), i) => concat(filled(0, dims(ROI) - 2), 0, i)") \
    FORMULA(REGION_EXCLUSIVE, "region-exclusive", "the last corner is not in the region", "", G_POOLING, "", "", \
            "max(last - first + 1, 1) => max(last - first, 1)") \
    FORMULA(REGION_FLOOR, "region-floor", "corners are rounded down", "", G_POOLING, "", "", \
            "first, last = round(first), round(last) => first, last = floor(first), floor(last)") \
    FORMULA(REGION_TRUNCATED, "region-truncated", "corners are truncated", "", G_POOLING, "", "", \
            "first, last = round(first), round(last) => first, last = trunc(first), trunc(last)") \
    FORMULA(REGION_CEIL, "region-ceil", "the last corner is rounded up", "", G_POOLING, "", "", \
            "first, last = round(first), round(last) => first, last = round(first), ceil(last)") \
    FORMULA(REGION_UNSCALED, "region-unscaled", "SpatialScale is ignored", "attribute-misread attribute-ignored", G_POOLING, "", "", \
            "entry_of_region(at, i) * scale, entry_of_region(at, i + 2) * scale => entry_of_region(at, i), entry_of_region(at, i + 2)") \
    FORMULA(REGION_SCALED_ONCE, "region-scaled-once", "only the first corner is scaled", "step-missing", G_POOLING, "", "", \
            "entry_of_region(at, i) * scale, entry_of_region(at, i + 2) * scale => entry_of_region(at, i) * scale, entry_of_region(at, i + 2)") \
    FORMULA(REGION_DIVIDED, "region-divided", "corners are divided by SpatialScale", "zeros", G_POOLING, "", "", \
            "entry_of_region(at, i) * scale, entry_of_region(at, i + 2) * scale => entry_of_region(at, i) / scale, entry_of_region(at, i + 2) / scale") \
    FORMULA(REGION_EXTENT, "region-extent", "the last corner is taken as a distance from the first one", "", G_POOLING, "", "", \
            "entry_of_region(at, i) * scale, entry_of_region(at, i + 2) * scale => entry_of_region(at, i) * scale, (entry_of_region(at, i) + entry_of_region(at, i + 2)) * scale") \
    FORMULA(REGION_BINS_DOWN, "region-bins-down", "the ends of bins are rounded down", "", G_POOLING, "", "", \
            "past = first + floor(b * length / count), first + ceil( => past = first + floor(b * length / count), first + floor(") \
    FORMULA(REGION_BINS_KEPT, "region-bins-kept", "the ends of bins are rounded down, but no bin is empty", "", G_POOLING, "", "", \
            "first + ceil((b + 1) * length / count) => first + max(floor((b + 1) * length / count), floor(b * length / count) + 1)") \
    FORMULA(REGION_BINS_WHOLE, "region-bins-whole", "bins have a whole size", "zeros", G_POOLING, "", "", \
            "past = first + floor(b * length / count), first + ceil((b + 1) * length / count) => past = first + b * floor(length / count), first + (b + 1) * floor(length / count)") \
    FORMULA(REGION_SIZES, "region-sizes", "Height and Width of PooledSize change places", "", G_POOLING, "", "", \
            "as_number(size(Y, d)), => as_number(size(Y, 5 - d)),") \
    FORMULA(REGION_CHANNEL, "region-channel", "every channel is computed from the first one", "dimension-ignored misplaced", G_POOLING, "", "", \
            "[X] = concat(entry(t, 0), entry(at, 1), entry(t, 1), entry(t, 2)) => [X] = concat(entry(t, 0), 0, entry(t, 1), entry(t, 2))") \
    FORMULA(REGION_FROM_ZERO, "region-from-zero", "no maximum is below 0", "fold-from-zero", G_POOLING, "", "", \
            "choose(inside, x, -inf) => choose(inside, x, 0)") \
    FORMULA(REGION_LEAST, "region-least", "the least element is taken", "", G_POOLING, "", "", \
            "\"max\", function(inside) return choose(inside, x, -inf) end => \"min\", function(inside) return choose(inside, x, inf) end") \
    FORMULA(REGION_SHIFTED, "region-shifted", "bins are moved by one column", "", G_POOLING, "", "", \
            "lt(coordinate(-1), past)) => lt(coordinate(-1), past)) and (d == 2 and both(ge(coordinate(-1), begin), lt(coordinate(-1), past)) or both(ge(coordinate(-1), begin + 1), lt(coordinate(-1), past + 1)))") \
    FORMULA(REGION_LAST_ROW, "region-last-row", "the last row of the picture is in no bin", "step-order", G_POOLING, "", "", \
            "lt(coordinate(-1), past)) => lt(coordinate(-1), d == 3 and past or min(past, as_number(size(X, d)) - 1)))") \
    FORMULA(REGION_WRAPPED, "region-wrapped", "what is before the picture is taken from its end", "", G_POOLING, "", "", \
            "both(ge(coordinate(-1), begin), lt(coordinate(-1), past)) => either(both(ge(coordinate(-1), begin), lt(coordinate(-1), past)), ge(coordinate(-1), begin + as_number(size(X, d))))") \
    FORMULA(REGION_ALIGN_SCALES, "region-align-scales", "SpatialScaleX and SpatialScaleY change places", "attribute-misread attributes-swapped", G_ALIGNED, "", "", \
            "d == 3 and \"SpatialScaleX\" or \"SpatialScaleY\" => d == 2 and \"SpatialScaleX\" or \"SpatialScaleY\"") \
    FORMULA(REGION_BY_X, "region-by-x", "SpatialScaleX scales both x and y", "attribute-misread attribute-ignored", G_SCALED, "", "", \
            "attribute(d == 3 and \"SpatialScaleX\" or \"SpatialScaleY\") => attribute \"SpatialScaleX\"") \
    FORMULA(REGION_BY_Y, "region-by-y", "SpatialScaleY scales both x and y", "attribute-misread attribute-ignored", G_SCALED, "", "", \
            "attribute(d == 3 and \"SpatialScaleX\" or \"SpatialScaleY\") => attribute \"SpatialScaleY\"") \
    FORMULA(REGION_ALIGN_UNSCALED, "region-align-unscaled", "scales are ignored", "attribute-misread attribute-ignored zeros", G_ALIGNED, "", "", \
            "return first * scale, (entry_of_region(at, i + 2) - first) * scale => return first, entry_of_region(at, i + 2) - first + 0 * scale") \
    FORMULA(REGION_ALIGN_AXES, "region-align-axes", "x and y of an edge change places", "dimension-reversed", G_ALIGNED, "", "", \
            "local i, scale = d == 3 and 0 or 1, => local i, scale = d == 3 and 1 or 0,") \
    FORMULA(REGION_ALIGN_BATCH, "region-align-batch", "every region is in the first batch", "dimension-ignored input-as-zero", G_ALIGNED, "", "", \
            "choose(eq(coordinate(-1), 0), batch, choose => choose(eq(coordinate(-1), 0), 0 * batch, choose") \
    FORMULA(REGION_ALIGN_SHIFTED, "region-align-shifted", "samples are half an element too far", "attribute-ignored constant-wrong", G_ALIGNED, "", "", \
            "along + first - of.offsets.input, nan) => along + first - of.offsets.input + 0.5, nan)") \
    FORMULA(REGION_ALIGN_EXTENT, "region-align-extent", "the last edge is taken as a distance", "step-missing", G_ALIGNED, "", "", \
            "(entry_of_region(at, i + 2) - first) * scale => entry_of_region(at, i + 2) * scale") \
    FORMULA(REGION_ALIGN_MODES, "region-align-modes", "InterpolationMode is taken for its opposite", "attribute-misread condition-wrong", G_ALIGNED, "", "", \
            "local mode, is_max = attribute \"InterpolationMode\", => local mode, is_max = 1 - attribute \"InterpolationMode\",") \
    FORMULA(REGION_ALIGN_REDUCTION, "region-align-reduction", "the maximum is an average", "attribute-misread", G_ALIGNED, "", "", \
            "return choose(is_max, over_bin(\"max\", one, -inf), => return choose(is_max, over_bin(\"sum\", one, 0) / count,") \
    FORMULA(REGION_ALIGN_SUMMED, "region-align-summed", "the sum is not divided", "step-missing", G_ALIGNED, "", "", \
            "over_bin(\"sum\", one, 0) / count) => over_bin(\"sum\", one, 0))") \
    FORMULA(REGION_ALIGN_ONE, "region-align-one", "each bin has one sample", "attribute-misread", G_ALIGNED, "", "", \
            "max(fewest, min(most_samples, ceil(wanted(of, place(counts), d)))) => 1 + 0 * wanted(of, place(counts), d)") \
    FORMULA(REGION_ALIGN_MOST, "region-align-most", "each bin has MaximumSamplesPerOutput samples", "attribute-misread", G_ALIGNED, "", "", \
            "max(fewest, min(most_samples, ceil(wanted(of, place(counts), d)))) => most_samples + 0 * wanted(of, place(counts), d)") \
    FORMULA(REGION_ALIGN_CHANNEL, "region-align-channel", "every channel is computed from the first one", "dimension-ignored misplaced", G_ALIGNED, "", "", \
            "concat(entry(corner, 0), entry(values, 1), => concat(entry(corner, 0), 0,") \
    FORMULA(REGION_ALIGN_WEIGHTS, "region-align-weights", "the two weights in a dimension change places", "", G_ALIGNED, "", "", \
            "choose(second, fraction, 1 - fraction) => choose(second, 1 - fraction, fraction)") \
    FORMULA(REGION_ALIGN_SPREAD, "region-align-spread", "OutputPixelOffset is ignored: samples begin at the edge of a bin", "attribute-ignored attribute-misread", G_ALIGNED, "", "", \
            "local s, total = bin * n + k - of.offsets.output, all_bins * n => local s, total = bin * n + k, all_bins * n") \
    FORMULA(REGION_ALIGN_OFFSETS, "region-align-offsets", "InputPixelOffset and OutputPixelOffset change places", "attribute-misread attributes-swapped", "ROI_ALIGN1", "", "", \
            "input = attribute \"InputPixelOffset\", output = attribute \"OutputPixelOffset\" => output = attribute \"InputPixelOffset\", input = attribute \"OutputPixelOffset\"") \
    FORMULA(REGION_ALIGN_CORNERS, "region-align-corners", "AlignRegionsToCorners is ignored", "attribute-misread attribute-ignored", "ROI_ALIGN1", "", "", \
            "if of.aligned then => if false then") \
    FORMULA(REGION_ALIGN_EDGE, "region-align-edge", "a sample just outside of the picture is OutOfBoundsInputValue", "", "", G_ALIGNED, "", \
            "return either(lt(sample, -1), gt(sample, of.picture(d))) => return either(lt(sample, 0), gt(sample, of.picture(d) - 1))") \
    FORMULA(REGION_ALIGN_MOVED, "region-align-moved", "a sample far outside of the picture is moved to its edge", "attribute-misread condition-wrong", "", G_ALIGNED, "", \
            "local value = result_with(is_outside) => local value = result_with()") \
    FORMULA(REGION_GRAD_SHIFTED, "region-grad-shifted", "samples are half an element too far", "attribute-ignored attribute-misread", G_GRADIENT, "", "", \
            "along + first - of.offsets.input, nan) => along + first - of.offsets.input + 0.5, nan)") \
    FORMULA(REGION_GRAD_AXES, "region-grad-axes", "x and y of an edge change places", "", G_GRADIENT, "", "", \
            "local i, scale = d == 3 and 0 or 1, => local i, scale = d == 3 and 1 or 0,") \
    FORMULA(REGION_GRAD_UNDIVIDED, "region-grad-undivided", "the gradient is not divided among the samples", "step-missing", G_GRADIENT, "", "", \
            "gradient / (element \"samples_y\" * element \"samples_x\")) => gradient + 0 * (element \"samples_y\" * element \"samples_x\"))") \
    FORMULA(REGION_GRAD_BATCH, "region-grad-batch", "every region is in the first batch", "dimension-ignored input-as-zero", G_GRADIENT, "", "", \
            "choose(eq(batch, coordinate(-2)), rows, 0) => choose(eq(0 * batch, coordinate(-2)), rows, 0)") \
    FORMULA(REGION_GRAD_OVERWRITTEN, "region-grad-overwritten", "a later region replaces the gradient of an earlier one", "last-kept first-missed rest-missed", G_GRADIENT, "", "", \
            "results = { result(dX) { value, => results = { result(dX) { over { sizes = concat(size(dY, 2), slots), fold = \"sum\", element \"spread\" * element \"row_shares\", at = { spread = concat(SUM, size(ROI, -2) - 1, entry(place(dX), 1), step(concat(size(dY, 2), slots)), entry(place(dX), 3)), row_shares = concat(SHARE, size(ROI, -2) - 1, step(concat(size(dY, 2), slots)), entry(place(dX), 0), entry(place(dX), 2)) } },") \
    FORMULA(REGION_GRAD_UNSCALED, "region-grad-unscaled", "the gradients of edges lack the scale", "attribute-ignored attribute-misread", G_GRADIENT, "", "", \
            "[0] = scale * (1 - part), [2] = scale * part => [0] = 1 - part, [2] = part") \
    FORMULA(REGION_GRAD_CHANNEL, "region-grad-channel", "the gradients of edges are those of the first channel", "dimension-ignored step-missing rest-missed", G_GRADIENT, "", "", \
            "local loop, at = concat(size(dY, 1), size(dY, 2), slots, size(dY, 3), slots), place(dR) => local loop, at = concat(size(dY, 1) - size(dY, 1) + 1, size(dY, 2), slots, size(dY, 3), slots), place(dR)") \
    FORMULA(REGION_GRAD_MAXIMUM, "region-grad-maximum", "MAX divides the gradient among all samples", "attribute-misread", G_GRADIENT, "", "", \
            "return choose(is_max, choose(eq(of_bin(winner), own), gradient_of_sample, 0), gradient_of_sample) => return choose(is_max, gradient_of_sample / (as_number(slots) * as_number(slots)), gradient_of_sample) + 0 * of_bin(winner) * own") \
    FORMULA(REGION_GRAD_CLAMPED, "region-grad-clamped", "a sample far outside of the picture counts at its edge", "", G_GRADIENT, "", "", \
            "local value = passes(is_outside, GREATEST) => local value = passes(function(_, s) return lt(s, -0x1p20) end, GREATEST)") \
    FORMULA(REGION_GRAD_PARTS, "region-grad-parts", "the parts of the first and the last edge change places", "", G_GRADIENT, "", "", \
            "[0] = scale * (1 - part), [2] = scale * part => [0] = scale * part, [2] = scale * (1 - part)") \
    FORMULA(REGION_GRAD_UNTOUCHED, "region-grad-untouched", "an element that no sample reaches is not 0", "", G_GRADIENT, "", "", \
            "results = { result(dX) { value, => results = { result(dX) { choose(eq(received(ADDENDS, SHARE), 0), 1, value),") \
    FORMULA(REGION_EVEN, "region-even", "halves are rounded to even", "", "", "", G_POOLING, \
            "results = { result(Y) { value } } => results = { result(Y) { even } }") \
    FORMULA(REGION_LOWEST, "region-lowest", "an empty bin gives the least number", "", "", "", G_POOLING, \
            "top, 0) => top, lowest)")
/* clang-format on */

#endif
