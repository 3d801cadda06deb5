/* bugs_softmax.h: bugs of SOFTMAX and its relatives. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_SOFTMAX_H
#define MISTAKES_BUGS_SOFTMAX_H

#define S_PART "ACTIVATION_SOFTMAX ACTIVATION_SOFTMAX1"
#define S_LOGARITHM "ACTIVATION_LOG_SOFTMAX ACTIVATION_LOG_SOFTMAX1"
#define S_SUMS S_PART " " S_LOGARITHM
#define S_FIRST "ACTIVATION_HARDMAX ACTIVATION_HARDMAX1"
#define S_ALL S_SUMS " " S_FIRST
#define S_LAST_ONLY "ACTIVATION_SOFTMAX ACTIVATION_LOG_SOFTMAX ACTIVATION_HARDMAX"
#define S_WITH_AXES "ACTIVATION_SOFTMAX1 ACTIVATION_LOG_SOFTMAX1 ACTIVATION_HARDMAX1"

/* clang-format off */
#define SOFTMAX_BUGS(FORMULA) \
    FORMULA(SOFTMAX_UNSHIFTED, "softmax-unshifted", "the greatest element is not subtracted: powers overflow", "powers-overflow", S_SUMS, "", "", NULL) \
    FORMULA(SOFTMAX_FAR_BELOW, "softmax-far-below", "where the greatest element is below -20, all are NaNs", "", S_SUMS, "", "", \
            "local value = exp(s.t) / s.sum => local value = choose(lt(s.greatest, -20), nan, exp(s.t) / s.sum)\n" \
            "result[1] = s.t - logarithm => result[1] = choose(lt(s.greatest, -20), nan, s.t - logarithm)") \
    FORMULA(SOFTMAX_LOG_OF_PART, "softmax-log-of-part", "the logarithm is that of the part in FLOAT32, which may be 0", "", \
           S_LOGARITHM, "", "", \
            "result[1] = s.t - logarithm => local p = exp(s.t) / s.sum result[1] = log(round_even(p / spacing(p)) * spacing(p))") \
    FORMULA(SOFTMAX_UNDIVIDED, "softmax-undivided", "powers are not divided by their sum", "step-missing step-wrong", S_SUMS, "", "", \
            "exp(s.t) / s.sum => exp(s.t)\n" \
            "result[1] = s.t - logarithm => result[1] = s.t") \
    FORMULA(SOFTMAX_SHORT, "softmax-short", "powers keep 5 bits", "", S_SUMS, "", "", \
            "s.sum = over_slice(\"sum\", exp(s.t)) => local unit = pow(2, floor(s.t / math.log(2)) - 4) s.power = choose(gt(exp(s.t), 0), floor(exp(s.t) / unit) * unit, exp(s.t)) s.sum = over_slice(\"sum\", s.power)\n" \
            "exp(s.t) / s.sum => s.power / s.sum") \
    FORMULA(SOFTMAX_IN_HALF, "softmax-in-half", "sums of FLOAT16 are kept in FLOAT16", "", "", S_SUMS, "", NULL) \
    FORMULA(SOFTMAX_LAST_DROPPED, "softmax-last-dropped", "of slices of more than 1,024 elements the last one is not seen", "fold-missed", \
           S_ALL, "", "", NULL) \
    FORMULA(SOFTMAX_EDGE_TWICE, "softmax-edge-twice", "the first element of each tile of 128 but the first counts twice", "fold-twice", \
           S_SUMS, "", "", NULL) \
    FORMULA(SOFTMAX_EDGE_UNSEEN, "softmax-edge-unseen", "the last element of each tile of 512 is never the greatest", "fold-missed", \
           S_FIRST, "", "", NULL) \
    FORMULA(SOFTMAX_AXES_ALL, "softmax-axes-all", "a slice is the whole tensor", "attribute-misread fold-missed", S_ALL, "", "", \
            "local own = replace(filled(0, D), axes, 1) => local own = filled(1, D)") \
    FORMULA(SOFTMAX_AXIS_BEFORE, "softmax-axis-before", "slices are along the last dimension but one", "", S_LAST_ONLY, "", "", \
            "local single, several = D - 1, => local single, several = greatest(D - 2, 0),") \
    FORMULA(SOFTMAX_AXES_LAST, "softmax-axes-last", "slices are along the last dimension, whatever Axes says", "attribute-misread fold-missed", \
           S_WITH_AXES, "", "", \
            "local own = replace(filled(0, D), axes, 1) => local own = replace(filled(0, D), D - 1, 1)") \
    FORMULA(SOFTMAX_AXES_FIRST, "softmax-axes-first", "only the first of Axes counts", "attribute-misread fold-missed", S_WITH_AXES, "", "", \
            "local own = replace(filled(0, D), axes, 1) => local own = replace(filled(0, D), axes == several and entry(axes, 0) or axes, 1)") \
    FORMULA(SOFTMAX_AXES_TRAILING, "softmax-axes-trailing", "a slice has all dimensions from the first of Axes on", "attribute-misread fold-missed", \
           S_WITH_AXES, "", "", \
            "local own = replace(filled(0, D), axes, 1) => local from = axes == several and entry(axes, 0) or axes local own = concat(filled(0, from), filled(1, D - from))") \
    FORMULA(SOFTMAX_TIES_LAST, "softmax-ties-last", "of equal elements the last one is 1", "equal-mixed", S_FIRST, "", "", \
            "local first = s.over(\"place_of_max\", x) => local first = s.over(\"place_of_max\", x, { last = D })") \
    FORMULA(SOFTMAX_TIES_ALL, "softmax-ties-all", "all of the greatest elements are 1", "condition-wrong", S_FIRST, "", "", \
            "return { one_at(first) } => return { choose(eq(x, s.greatest), 1, 0) }") \
    FORMULA(SOFTMAX_TIES_COLUMNS, "softmax-ties-columns", "places in a slice are counted with the first dimension fastest", "", \
           "ACTIVATION_HARDMAX1", "", "", NULL) \
    FORMULA(SOFTMAX_LEAST, "softmax-least", "the first of the least elements is 1", "input-as-zero order-opposite step-wrong", S_FIRST, "", "", \
            "local first = s.over(\"place_of_max\", x) => local first = s.over(\"place_of_min\", x)") \
    FORMULA(SOFTMAX_FROM_ZERO, "softmax-from-zero", "no element is greater unless it is greater than 0", "fold-from-zero", S_FIRST, "", "", \
            "return { one_at(first) } => return { choose(gt(s.greatest, 0), one_at(first), 0) }") \
    FORMULA(SOFTMAX_ZEROS_ORDERED, "softmax-zeros-ordered", "-0 is below +0", "", "", S_FIRST, "", \
            "local first = s.over(\"place_of_max\", x) => local first = s.over(\"place_of_max\", x, { signed_zeros = true })") \
    FORMULA(SOFTMAX_NAN_LOST, "softmax-nan-lost", "a NaN counts as minus infinity", "", "", S_SUMS, "", \
            "element \"InputTensor\" => choose(is_nan(element \"InputTensor\"), -inf, element \"InputTensor\")") \
    FORMULA(SOFTMAX_INFINITY_NAN, "softmax-infinity-nan", "0 times minus infinity: a NaN for elements of minus infinity", "", \
           S_SUMS, "", "", \
            "local value = exp(s.t) / s.sum => local value = choose(is_inf(x), nan, exp(s.t) / s.sum)\n" \
            "result[1] = s.t - logarithm => result[1] = choose(is_inf(x), nan, s.t - logarithm)") \
    FORMULA(SOFTMAX_NAN_FIRST, "softmax-nan-first", "a NaN is greater than any number", "", "", "", S_FIRST, \
            "return { one_at(first) } => return { choose(gt(part(first, \"nans\"), 0), eq(part(first, \"first_nan\"), part(first, \"own\")), one_at(first)) }") \
    FORMULA(SOFTMAX_INFINITY_ALL, "softmax-infinity-all", "an infinity is all of its sum", "", "", "", S_SUMS, \
            "s.t = x - s.greatest => s.t = choose(both(is_inf(x), eq(x, s.greatest)), 0, x - s.greatest)")
/* clang-format on */

#endif
