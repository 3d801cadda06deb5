/* bugs_response.h: bugs of LOCAL_RESPONSE_NORMALIZATION, its gradient and VALUE_SCALE_2D. A line each, as in
 * bugs_numbers.h. */
#ifndef MISTAKES_BUGS_RESPONSE_H
#define MISTAKES_BUGS_RESPONSE_H

#define L_GRADIENT "LOCAL_RESPONSE_NORMALIZATION_GRAD"
#define L_BOTH "LOCAL_RESPONSE_NORMALIZATION " L_GRADIENT
#define L_VALUES "VALUE_SCALE_2D"

/* clang-format off */
#define RESPONSE_BUGS(FORMULA) \
    /* windows */ \
    FORMULA(RESPONSE_EDGE, "response-edge", "what a window lacks at the ends of the tensor counts as the element in its middle", "", L_BOTH, "", "", \
            "return bias + alpha / (divisor or n) * sum => local lacks = sum.op == \"fold\" and part(sum, \"steps\") - part(sum, \"count\") or 0 return bias + alpha / (divisor or n) * (sum + lacks * x * x)") \
    FORMULA(RESPONSE_WRAPPED, "response-wrapped", "windows are not clipped: they go on at the other end", "step-missing", L_BOTH, "", "", \
            "behaviours = behaviours({ => behaviours = behaviours({}) or behaviours({\n" \
            "found[1] = value => found = { value }\n" \
            "return { sizes = steps, place = place(out) + step(steps) - low } => return { sizes = steps, place = place(out) + step(steps) - low, size = sizes(X) * concat(0, across, 1 - across, 0) }\n" \
            "local function base(sum, divisor) => local function base(sum, divisor) if sum.op == \"fold\" then sum = sum + wrapped[1] + wrapped[2] end\n" \
            "-- ---- S and its errors => local wrapped\n" \
            "local sum, mirrored = squares(out, before, after), squares(out, after, before, even) => local sum, mirrored = squares(out, before, after) local w = window(out, before, after) wrapped = {} for i, by in ipairs { -1, 1 } do wrapped[i] = over { sizes = w.sizes, at = { [X] = w.place + w.size * by }, fold = \"sum\", x * x } end mirrored = sum") \
    FORMULA(RESPONSE_SWAPPED, "response-swapped", "CrossChannel is taken for its opposite", "attribute-misread condition-wrong", L_BOTH, "", "", \
            "local across = 1 - is(attr \"CrossChannel\", 0) => local across = is(attr \"CrossChannel\", 0)") \
    FORMULA(RESPONSE_CHANNELS, "response-channels", "windows are always of channels", "attribute-misread", L_BOTH, "", "", \
            "local across = 1 - is(attr \"CrossChannel\", 0) => local across = 1") \
    FORMULA(RESPONSE_CUBE, "response-cube", "with CrossChannel, windows are of channels, rows and columns", "attribute-misread", L_BOTH, "", "", \
            "concat(0, across, 1 - across, 1 - across) => concat(0, across, 1, 1)") \
    FORMULA(RESPONSE_ROW, "response-row", "without CrossChannel, windows are of one row", "attribute-misread", L_BOTH, "", "", \
            "concat(0, across, 1 - across, 1 - across) => concat(0, across, 0, 1 - across)") \
    FORMULA(RESPONSE_RADIUS, "response-radius", "LocalSize is the number of elements on each side", "attribute-misread", L_BOTH, "", "", \
            "least((length - 1) // 2, last) * along, least(length // 2, last) * along => least(length, last) * along, least(length, last) * along") \
    FORMULA(RESPONSE_ODD, "response-odd", "the window of an even LocalSize has one element less", "fold-missed attribute-misread", L_BOTH, "", "", \
            "least(length // 2, last) * along => least((length - 1) // 2, last) * along") \
    FORMULA(RESPONSE_SIXTEEN, "response-sixteen", "only 16 elements of a window count", "fold-missed attribute-misread", L_BOTH, "", "", NULL) \
    FORMULA(RESPONSE_MIRRORED, "response-mirrored", "with an even LocalSize, windows have one element more before than after", \
           "", "", "", L_BOTH, \
            "local before, after = least => local after, before = least") \
    /* S */ \
    FORMULA(RESPONSE_COUNTED, "response-counted", "the divisor is the number of elements in the window", "step-missing attribute-misread", L_BOTH, "", "", \
            "(divisor or n) * sum => (divisor or part(sum, \"count\")) * sum\n" \
            "(divisor or n) * x => (divisor or part(of_sum, \"count\")) * x") \
    FORMULA(RESPONSE_UNDIVIDED, "response-undivided", "the divisor is 1", "step-missing attribute-misread", L_BOTH, "", "", \
            " / (divisor or n) => ") \
    FORMULA(RESPONSE_SQUARED, "response-squared", "without CrossChannel, the divisor is the square of LocalSize", "", "", L_BOTH, "", \
            "(divisor or n) => choose(crosses, n, n * n)") \
    FORMULA(RESPONSE_SQUARED_ALWAYS, "response-squared-always", "the divisor is the square of LocalSize", "", L_BOTH, "", "", \
            "(divisor or n) => (n * n)") \
    FORMULA(RESPONSE_EXCHANGED, "response-exchanged", "Alpha and Beta change places", "attributes-swapped", L_BOTH, "", "", \
            "local alpha, beta, bias, n => local beta, alpha, bias, n") \
    FORMULA(RESPONSE_UNBIASED, "response-unbiased", "Bias is not added", "attribute-ignored step-missing", L_BOTH, "", "", \
            "return bias + alpha => return alpha") \
    FORMULA(RESPONSE_ONE, "response-one", "Bias is always 1", "attribute-ignored", L_BOTH, "", "", \
            "return bias + alpha => return 1 + alpha") \
    FORMULA(RESPONSE_TYPICAL, "response-typical", "Beta is always 0.75", "attribute-ignored", L_BOTH, "", "", \
            "= attribute \"Alpha\", attribute \"Beta\", => = attribute \"Alpha\", 0.75,") \
    FORMULA(RESPONSE_UNSQUARED, "response-unsquared", "the elements are not squared", "step-missing", L_BOTH, "", "", \
            "fold = \"sum\", x * x } => fold = \"sum\", x }") \
    /* the gradient */ \
    FORMULA(RESPONSE_FIRST_TERM, "response-first-term", "the gradient lacks its second term", "step-missing", L_GRADIENT, "", "", \
            " - factor / (divisor or n) * x * weighted(low, high, count, of_sum, divisor) => ") \
    FORMULA(RESPONSE_HALVED, "response-halved", "the second term lacks its factor of 2", "step-missing constant-wrong", L_GRADIENT, "", "", \
            "local factor = 2 * alpha * beta => local factor = alpha * beta") \
    FORMULA(RESPONSE_OWN_WINDOW, "response-own-window", "an even window is not mirrored for the second term", "", L_GRADIENT, "", "", \
            "high * columns, low * columns => low * columns, high * columns\n" \
            "high * (1 - columns), low * (1 - columns) => low * (1 - columns), high * (1 - columns)") \
    FORMULA(RESPONSE_OWN_BASE, "response-own-base", "all elements of the second term have the S in the middle", "", \
           L_GRADIENT, "", "", \
            "return d * x / pow(base(elsewhere(of_sum, at), divisor), beta + 1) => return d * x\n" \
            "* x * weighted(low, high, count, of_sum, divisor) => * x * weighted(low, high, count, of_sum, divisor) / pow(base(of_sum, divisor), beta + 1)") \
    FORMULA(RESPONSE_OWN_GRADIENT, "response-own-gradient", "all elements of the second term have the gradient in the middle", "", \
           L_GRADIENT, "", "", \
            "return d * x / pow( => return x / pow(\n" \
            "* x * weighted(low, high, count, of_sum, divisor) => * x * d * weighted(low, high, count, of_sum, divisor)") \
    FORMULA(RESPONSE_POWER, "response-power", "the power of the second term is that of the first", "step-missing", L_GRADIENT, "", "", \
            "divisor), beta + 1) => divisor), beta)") \
    FORMULA(RESPONSE_NO_ELEMENT, "response-no-element", "the second term lacks its own element", "step-missing", L_GRADIENT, "", "", \
            "* x * weighted => * weighted") \
    /* VALUE_SCALE_2D */ \
    FORMULA(VALUE_FIRST_BIAS, "value-first-bias", "all channels have the first Bias", "attribute-misread", L_VALUES, "", "", \
            "entry(\"Bias\", coordinate(-3)) => entry(\"Bias\", 0)") \
    FORMULA(VALUE_COLUMN_BIAS, "value-column-bias", "Bias is chosen by the column", "", L_VALUES, "", "", \
            "entry(\"Bias\", coordinate(-3)) => entry(\"Bias\", coordinate(-1) - attribute \"ChannelCount\" * floor(coordinate(-1) / attribute \"ChannelCount\"))") \
    FORMULA(VALUE_BATCH_BIAS, "value-batch-bias", "Bias is chosen by the batch", "attribute-misread", L_VALUES, "", "", \
            "entry(\"Bias\", coordinate(-3)) => entry(\"Bias\", coordinate(-4) - attribute \"ChannelCount\" * floor(coordinate(-4) / attribute \"ChannelCount\"))") \
    FORMULA(VALUE_LAST_FIRST, "value-last-first", "Bias counts from the last channel", "attribute-misread", L_VALUES, "", "", \
            "entry(\"Bias\", coordinate(-3)) => entry(\"Bias\", attribute \"ChannelCount\" - 1 - coordinate(-3))") \
    FORMULA(VALUE_UNBIASED, "value-unbiased", "Bias is not added", "step-missing", L_VALUES, "", "", \
            "body[1] = scale * x + bias => body[1] = scale * x") \
    FORMULA(VALUE_UNSCALED, "value-unscaled", "Scale is 1", "attribute-ignored step-missing", L_VALUES, "", "", \
            "body[1] = scale * x + bias => body[1] = x + bias") \
    FORMULA(VALUE_BIAS_SCALED, "value-bias-scaled", "Bias is multiplied, too", "step-order", L_VALUES, "", "", \
            "body[1] = scale * x + bias => body[1] = scale * (x + bias)")
/* clang-format on */

#endif
