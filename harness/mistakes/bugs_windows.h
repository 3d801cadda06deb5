/* bugs_windows.h: bugs of poolings and their gradients. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_WINDOWS_H
#define MISTAKES_BUGS_WINDOWS_H

#define W_INDICES "MAX_POOLING1 MAX_POOLING2"
#define W_MAXIMA "MAX_POOLING " W_INDICES
#define W_AVERAGES "AVERAGE_POOLING AVERAGE_POOLING1"
#define W_QUANTISED "QUANTIZED_LINEAR_AVERAGE_POOLING"
#define W_DIVIDED W_AVERAGES " " W_QUANTISED
#define W_DIVIDED_DILATED "AVERAGE_POOLING1 " W_QUANTISED
#define W_NORMS "LP_POOLING LP_POOLING1"
#define W_SHARES "AVERAGE_POOLING_GRAD"
#define W_PASSED "MAX_POOLING_GRAD"
#define W_GRADIENTS W_SHARES " " W_PASSED
#define W_ALL W_MAXIMA " " W_DIVIDED " " W_NORMS
#define W_DILATED "MAX_POOLING2 AVERAGE_POOLING1 LP_POOLING1 " W_QUANTISED

/* clang-format off */
#define WINDOW_BUGS(FORMULA) \
    FORMULA(POOL_STRIDES_FIRST, "pool-strides-first", "the first stride holds for all dimensions", "attribute-misread", W_ALL, "", "", \
            "slice(place(out), 2, D) * strides + => slice(place(out), 2, D) * entry(strides, 0) +") \
    FORMULA(POOL_UNDILATED, "pool-undilated", "dilations are taken as 1", "attribute-misread", W_DILATED, "", "", \
            "step(window) * P.gaps - start => step(window) - start") \
    FORMULA(POOL_PADDING_SWAPPED, "pool-padding-swapped", "EndPadding is taken for StartPadding", "attribute-misread attributes-swapped", W_ALL, "", "", \
            "step(window) * P.gaps - start => step(window) * P.gaps - last") \
    FORMULA(POOL_WINDOW_FIRST, "pool-window-first", "the first size of the window holds for all dimensions", "attribute-misread fold-missed", W_ALL, "", "", \
            "over { sizes = window, fold = fold, => over { sizes = filled(entry(window, 0), D - 2), fold = fold,") \
    FORMULA(POOL_CHANNEL_FIRST, "pool-channel-first", "every channel is computed from the first one", "dimension-ignored misplaced", W_ALL, "", "", \
            "concat(prefix(place(out), 2), spatial) => concat(prefix(place(out), 1), 0, spatial)") \
    FORMULA(POOL_EDGE_ZERO, "pool-edge-zero", "padding counts as 0 in a maximum", "", W_MAXIMA, "", "", \
            "results = { result(Y) { top } => results = { result(Y) { choose(lt(part(top, \"count\"), part(top, \"steps\")), max(top, 0), top) }") \
    FORMULA(POOL_FROM_LOWEST, "pool-from-lowest", "a maximum begins with the lowest finite number", "fold-from-lowest infinity-largest", W_MAXIMA, "", "", \
            "results = { result(Y) { top } => results = { result(Y) { choose(lt(top, lowest), lowest, top) }") \
    FORMULA(POOL_LEAST, "pool-least", "the least element is taken", "order-opposite", W_MAXIMA, "", "", \
            "pooled(dilated, \"max\", x, Y) => pooled(dilated, \"min\", x, Y)") \
    FORMULA(POOL_INDEX_PLANE, "pool-index-plane", "indices count within the plane", "", W_INDICES, "", "", \
            "place(I), step(sizes(X)) => place(I), step(concat(1, 1, slice(sizes(X), 2, D)))\n" \
            "from - concat(prefix(at, 2), => from - concat(0, 0,\n" \
            "over { sizes = sizes(X), fold => over { sizes = concat(1, 1, slice(sizes(X), 2, D)), fold\n" \
            "from + 0 * inside }, x } => from + 0 * inside + concat(prefix(at, 2), filled(0, D - 2)) }, x }") \
    FORMULA(POOL_LAST_TIE, "pool-last-tie", "of equal elements, the last one gives the index", "equal-mixed", W_INDICES, "", "", \
            "fold = \"place_of_max\", signed_zeros => fold = \"place_of_max\", last = 0 * attr \"DimensionCount\" + 1, signed_zeros") \
    FORMULA(POOL_INCLUDE_INVERTED, "pool-include-inverted", "IncludePadding is taken for its opposite", "attribute-misread condition-wrong", W_DIVIDED, "", "", \
            "choose(include, part(sum, \"steps\"), part(sum, \"count\")) => choose(include, part(sum, \"count\"), part(sum, \"steps\"))") \
    FORMULA(POOL_INCLUDE_IGNORED, "pool-include-ignored", "IncludePadding is ignored", "attribute-misread attribute-ignored step-missing", W_DIVIDED, "", "", \
            "choose(include, part(sum, \"steps\"), part(sum, \"count\")) => part(sum, \"count\")") \
    FORMULA(POOL_OVERHANG, "pool-overhang", "what goes past the padded input counts, without IncludePadding, too", "", W_DIVIDED, "", "", \
            "choose(include, part(sum, \"steps\"), part(sum, \"count\")) => choose(include, part(sum, \"steps\"), part(sum, \"count\") + part(sum, \"steps\") - clipped)") \
    FORMULA(POOL_DIVISOR_UNDILATED, "pool-divisor-undilated", "the divisor counts elements as if Dilations were 1", "", W_DIVIDED_DILATED, "", "", \
            "choose(include, part(sum, \"steps\"), part(sum, \"count\")), { => choose(include, part(sum, \"steps\"), max(1, part(pooled(false, \"sum\", x, Y), \"count\"))), {") \
    FORMULA(POOL_DIVISOR_EXTENT, "pool-divisor-extent", "the divisor counts the gaps between elements, too", "", W_DIVIDED_DILATED, "", "", \
            "choose(include, part(sum, \"steps\"), part(sum, \"count\")), { => choose(include, part(over { sizes = parts_of(dilated).extent, fold = \"sum\", at = { [X] = filled(0, D) }, x }, \"steps\"), part(sum, \"count\")), {") \
    FORMULA(POOL_SUMMED, "pool-summed", "the sum is not divided", "step-missing", W_AVERAGES, "", "", \
            "results = { result(Y) { sum / count, => results = { result(Y) { sum,") \
    FORMULA(POOL_ZERO_POINT, "pool-zero-point", "the zero point of the input is ignored", "step-missing optional-ignored input-as-zero", W_QUANTISED, "", "", \
            "x - zero, Y) => x, Y)") \
    FORMULA(POOL_ZERO_FIRST, "pool-zero-first", "the scale of the first channel holds for all", "dimension-ignored misplaced", W_QUANTISED, "", "", \
            "local scale, zero = element(names[1]), => local scale, zero = over { sizes = concat(1), fold = \"sum\", at = { [names[1]] = filled(0, dims(names[1])) }, element(names[1]) },") \
    FORMULA(POOL_ZERO_ADDED, "pool-zero-added", "the zero point of the output is not added", "step-missing optional-ignored input-as-zero", W_QUANTISED, "", "", \
            "near)) + element(names[4])) => near)))") \
    FORMULA(POOL_ZERO_WRAPS, "pool-zero-wraps", "the number is clamped before the zero point is added, and wraps", "step-order", W_QUANTISED, "", "", \
            "near)) + element(names[4])) => near))) + element(names[4])") \
    FORMULA(POOL_ZERO_CLAMPED, "pool-zero-clamped", "the number is clamped before the zero point is added, and again", "step-order step-missing", W_QUANTISED, "", "", \
            "return saturate(round_even(within( => return saturate(saturate(round_even(within(\n" \
            "near)) + element(names[4])) => near))) + element(names[4]))") \
    FORMULA(POOL_TRUNCATED, "pool-truncated", "quotients are truncated", "step-wrong", W_QUANTISED, "", "", \
            "saturate(round_even(within => saturate(trunc(within") \
    FORMULA(POOL_WRAPPED, "pool-wrapped", "integers beyond their type wrap", "step-missing", W_QUANTISED, "", "", \
            "return saturate(round_even(within => return (round_even(within\n" \
            "near)) + element(names[4])) => near)) + element(names[4]))") \
    FORMULA(POOL_WHOLE_MEAN, "pool-whole-mean", "the average is truncated before it is scaled", "", W_QUANTISED, "", "", \
            "within(total * factor / divided_by, near) => within(trunc(total / divided_by) * factor, near)") \
    FORMULA(POOL_SCALES_MULTIPLIED, "pool-scales-multiplied", "the scale of the output multiplies", "step-wrong", W_QUANTISED, "", "", \
            "named(scale / element(names[3]), => named(scale * element(names[3]),") \
    FORMULA(POOL_PADDING_RAW, "pool-padding-raw", "padding that counts is the integer 0", "", "", W_QUANTISED, "", \
            "saturate(round_even(within(total * factor => saturate(round_even(within((total - (divided_by - part(sum, \"count\")) * zero) * factor") \
    FORMULA(POOL_GRAD_STRIDES, "pool-grad-strides", "the first stride holds for all dimensions", "attribute-misread", W_GRADIENTS, "", "", \
            "start - t * P.gaps, strides, => start - t * P.gaps, filled(entry(strides, 0), dims(dX) - 2),") \
    FORMULA(POOL_GRAD_PADDING_SWAPPED, "pool-grad-padding-swapped", "EndPadding is taken for StartPadding", "attribute-misread attributes-swapped", W_GRADIENTS, "", "", \
            "dims(dX)) + start - t => dims(dX)) + last - t") \
    FORMULA(POOL_GRAD_CHANNEL, "pool-grad-channel", "every channel is computed from the first one", "dimension-ignored misplaced", W_GRADIENTS, "", "", \
            "return concat(prefix(at, 2), windows_of) => return concat(prefix(at, 1), 0, windows_of)") \
    FORMULA(POOL_GRAD_WINDOW, "pool-grad-window", "the first size of the window holds for all dimensions", "attribute-misread fold-missed", W_SHARES, "", "", \
            "over { sizes = window, fold = \"sum\", at = { [name] = => over { sizes = filled(entry(window, 0), dims(dX) - 2), fold = \"sum\", at = { [name] =") \
    FORMULA(POOL_GRAD_UNDIVIDED, "pool-grad-undivided", "gradients are not divided", "step-missing", W_SHARES, "", "", \
            "element(dY) / divisor_of(counted) } => element(dY) + 0 * divisor_of(counted) }") \
    FORMULA(POOL_GRAD_INVERTED, "pool-grad-inverted", "IncludePadding is taken for its opposite", "attribute-misread condition-wrong", W_SHARES, "", "", \
            "choose(include, part(counted, \"steps\"), part(counted, \"count\")) => choose(include, part(counted, \"count\"), part(counted, \"steps\"))") \
    FORMULA(POOL_GRAD_IGNORED, "pool-grad-ignored", "IncludePadding is ignored", "attribute-misread attribute-ignored step-missing", W_SHARES, "", "", \
            "choose(include, part(counted, \"steps\"), part(counted, \"count\")) => part(counted, \"count\")") \
    FORMULA(POOL_GRAD_PADDING, "pool-grad-padding", "padding counts, but not what is past it", "attribute-misread", W_SHARES, "", "", \
            "shares(\"shares\", start, P.input, => shares(\"shares\", 0, P.padded,") \
    FORMULA(POOL_GRAD_MEAN, "pool-grad-mean", "where windows overlap, an element gets the average of its shares", "", W_SHARES, "", "", \
            "results = { result(dX) { sum, FLOAT32 = narrow + division => results = { result(dX) { sum / max(1, part(sum, \"count\")), FLOAT32 = narrow + division") \
    FORMULA(POOL_GRAD_LAST_TIE, "pool-grad-last-tie", "of equal elements, the last one gets the gradient", "equal-mixed", W_PASSED, "", "", \
            "fold = fold, signed_zeros = signed, => fold = fold, last = fold == \"place_of_max\" and 0 * attr \"DimensionCount\" + 1 or nil, signed_zeros = signed,") \
    FORMULA(POOL_GRAD_ALL_TIES, "pool-grad-all-ties", "all equal elements of a window get its gradient", "", W_PASSED, "", "", \
            "return eq(element(winners), element \"numbers\") => return eq(element(winners), x)\n" \
            "of_windows(\"winners\", P, \"place_of_max\"), => of_windows(\"winners\", P, \"max\"),\n" \
            "of_windows(\"signed\", P, \"place_of_max\", nil, true), => of_windows(\"signed\", P, \"max\"),") \
    FORMULA(POOL_GRAD_OVERWRITTEN, "pool-grad-overwritten", "where windows share their greatest element, one gradient replaces the others", "", W_PASSED, "", "", \
            "results = { result(dX) { sum, FLOAT32 = rounded_in(24), => results = { result(dX) { choose(gt(additions, 0), over { sizes = window, fold = \"max\", at = { [dY] = window_over(P, step(window)), winners = window_over(P, step(window)), numbers = step(window) }, choose(is_from \"winners\", element(dY), -inf) }, sum), FLOAT32 = rounded_in(24),") \
    FORMULA(POOL_GRAD_LEAST, "pool-grad-least", "the least element gets the gradient", "order-opposite", W_PASSED, "", "", \
            "of_windows(\"winners\", P, \"place_of_max\"), => of_windows(\"winners\", P, \"place_of_min\"),") \
    FORMULA(POOL_GRAD_UNDILATED, "pool-grad-undilated", "dilations are taken as 1 where the greatest element is found", "", W_PASSED, "", "", \
            "slice(at, 2, dims(X)) * strides + step(window) * P.gaps - start => slice(at, 2, dims(X)) * strides + step(window) - start") \
    FORMULA(POOL_GRAD_SPREAD, "pool-grad-spread", "every element of a window gets its gradient", "condition-wrong", W_PASSED, "", "", \
            "choose(is_from(winners), element(dY), 0) => element(dY) + 0 * is_from(winners)") \
    FORMULA(POOL_ROOTLESS, "pool-rootless", "the root is not taken", "step-missing", W_NORMS, "", "", \
            "results = { result(Y) { root(sum), => results = { result(Y) { sum,") \
    FORMULA(POOL_SQUARES, "pool-squares", "P is taken as 2", "attribute-misread", W_NORMS, "", "", \
            "\"DML_\" .. name, attribute \"P\" => \"DML_\" .. name, attribute \"P\" * 0 + 2") \
    FORMULA(POOL_SIGNED, "pool-signed", "elements keep their signs in odd powers", "step-missing", "", W_NORMS, "", \
            "results = { result(Y) { root(sum), => results = { result(Y) { choose(odd, root(signed), root(sum)),")
/* clang-format on */

#endif
