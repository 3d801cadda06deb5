/* bugs_products.h: bugs of sums of products. A line each, as in bugs_numbers.h. */
#ifndef MISTAKES_BUGS_PRODUCTS_H
#define MISTAKES_BUGS_PRODUCTS_H

#define X_CONVOLVED_INTEGERS "CONVOLUTION_INTEGER QUANTIZED_LINEAR_CONVOLUTION"
#define X_CONVOLVED "CONVOLUTION " X_CONVOLVED_INTEGERS

/* clang-format off */
#define PRODUCT_BUGS(FORMULA) \
    FORMULA(GEMM_BETA_IGNORED, "gemm-beta-ignored", "Beta is taken as 1", "attribute-misread attribute-ignored step-missing", "GEMM", "", "", \
            "local addend = choose(present(C), beta * c, 0) => local addend = choose(present(C), c, 0)") \
    FORMULA(GEMM_ALPHA_IGNORED, "gemm-alpha-ignored", "Alpha is taken as 1", "attribute-misread attribute-ignored step-missing", "GEMM", "", "", \
            "local value = alpha * dot + addend => local value = dot + addend") \
    FORMULA(GEMM_SWAPPED, "gemm-swapped", "Alpha and Beta change places", "attributes-swapped attribute-misread", "GEMM", "", "", \
            "local addend = choose(present(C), beta * c, 0) => local addend = choose(present(C), alpha * c, 0)\n" \
            "local value = alpha * dot + addend => local value = beta * dot + addend") \
    FORMULA(GEMM_C_IGNORED, "gemm-c-ignored", "CTensor is ignored", "optional-ignored input-as-zero attribute-ignored step-missing", "GEMM", "", "", \
            "local value = alpha * dot + addend => local value = alpha * dot") \
    FORMULA(GEMM_ALPHA_LAST, "gemm-alpha-last", "Alpha multiplies C, too", "step-order step-wrong", "GEMM", "", "", \
            "local value = alpha * dot + addend => local value = alpha * (dot + addend)") \
    FORMULA(GEMM_LAST_DROPPED, "gemm-last-dropped", "the last of several products is dropped", "fold-missed", "GEMM", "", "", \
            "local dot = over { sizes = concat(inner), => local dot = over { sizes = concat(greatest(inner - 1, 1)),") \
    FORMULA(GEMM_BATCH_FIRST, "gemm-batch-first", "the first batch of B is taken for all", "misplaced dimension-ignored", "GEMM", "", "", \
            "[B] = concat(prefix(at, D - 2), => [B] = concat(filled(0, D - 2),") \
    FORMULA(GEMM_TRANSPOSED, "gemm-transposed", "B is transposed if A is", "attribute-misread", "GEMM", "", "", \
            "either_of(tb, k, n), either_of(tb, n, k) => either_of(ta, k, n), either_of(ta, n, k)") \
    FORMULA(GEMM_UNTURNED, "gemm-unturned", "TransB is ignored", "attribute-misread attribute-ignored dimension-ignored", "GEMM", "", "", \
            "either_of(tb, k, n), either_of(tb, n, k) => k, n") \
    FORMULA(CONVOLVE_UNFLIPPED, "convolve-unflipped", "the filter is not flipped", "attribute-misread attribute-ignored", "CONVOLUTION", "", "", \
            "local flipped = is(attr \"Mode\", 0) => local flipped = 0") \
    FORMULA(CONVOLVE_BIAS_GROUP, "convolve-bias-group", "every output channel gets the first bias, unless there is one group", "dimension-ignored", "CONVOLUTION QUANTIZED_LINEAR_CONVOLUTION", "", "", \
            "at = { [B] = concat(0, entry(at, 1), => at = { [B] = concat(0, entry(at, 1) * is(G, 1),") \
    FORMULA(CONVOLVE_BIAS_IGNORED, "convolve-bias-ignored", "the bias is ignored", "optional-ignored input-as-zero attribute-ignored step-missing", "CONVOLUTION", "", "", \
            "local value = choose(is_forward, f, b) + choose(has_bias, bias, 0) => local value = choose(is_forward, f, b)") \
    FORMULA(CONVOLVE_GROUP_FIRST, "convolve-group-first", "every group reads the channels of the first one", "misplaced dimension-ignored attribute-misread", X_CONVOLVED, "", "", \
            "[X] = concat(entry(at, 0), group * channels + c, slice => [X] = concat(entry(at, 0), c, slice") \
    FORMULA(CONVOLVE_CHANNEL_FIRST, "convolve-channel-first", "the first channel of a group is taken for all of its channels", "dimension-ignored misplaced", X_CONVOLVED, "", "", \
            "[X] = concat(entry(at, 0), group * channels + c, slice => [X] = concat(entry(at, 0), group * channels, slice") \
    FORMULA(CONVOLVE_INTERLEAVED, "convolve-interleaved", "the outputs of groups are interleaved: output m is of group m mod GroupCount", "misplaced", X_CONVOLVED, "", "", \
            "local own = divided(concat(in_group), concat(1), concat(per_group)) => local own = divided(concat(entry(at, 1) - group), concat(G), concat(per_group))\n" \
            "local back = divided(concat(in_group, slice(at, 2, D) + start - tap * dilations), concat(1, strides), => local back = divided(concat(entry(at, 1) - group, slice(at, 2, D) + start - tap * dilations), concat(G, strides),") \
    FORMULA(CONVOLVE_MODULO, "convolve-modulo", "output m reads the channels of group m mod GroupCount", "misplaced", X_CONVOLVED_INTEGERS " CONVOLUTION", "", "", \
            "local own = divided(concat(in_group), concat(1), concat(per_group)) => local own = divided(concat(entry(at, 1) - group), concat(G), concat(per_group))\n" \
            "[F] = concat(entry(own, 0) + group * per_group, c, => [F] = concat(entry(own, 0) * G + group, c,") \
    FORMULA(CONVOLVE_BIAS_MODULO, "convolve-bias-modulo", "output m gets the bias of its number within the group", "dimension-ignored convolve-bias-group", "CONVOLUTION QUANTIZED_LINEAR_CONVOLUTION", "", "", \
            "local bias = over { sizes = concat(1), fold = \"sum\", element(B), => local bias = over { sizes = concat(G), fold = \"sum\", element(B),\n" \
            "at = { [B] = concat(0, entry(at, 1), => at = { [B] = concat(0, divided(concat(entry(at, 1) - entry(step(concat(G)), 0) * per_group), concat(1), concat(per_group)),") \
    FORMULA(CONVOLVE_UNDILATED, "convolve-undilated", "dilations are taken as 1", "attribute-misread", X_CONVOLVED, "", "", \
            "+ tap * dilations - start => + tap - start\n" \
            "+ start - tap * dilations), => + start - tap),") \
    FORMULA(CONVOLVE_STRIDES_FIRST, "convolve-strides-first", "the first stride holds for all dimensions", "attribute-misread", X_CONVOLVED, "", "", \
            "slice(at, 2, D) * strides + tap => slice(at, 2, D) * entry(strides, 0) + tap") \
    FORMULA(CONVOLVE_PADDING_SWAPPED, "convolve-padding-swapped", "EndPadding is taken for StartPadding", "attribute-misread attributes-swapped", X_CONVOLVED, "", "", \
            "+ tap * dilations - start => + tap * dilations - last\n" \
            "+ start - tap * dilations), => + last - tap * dilations),") \
    FORMULA(CONVOLVE_CHANNEL_DROPPED, "convolve-channel-dropped", "the last of several channels is dropped", "fold-missed", X_CONVOLVED, "", "", \
            "local loop = concat(G, channels, window) => local loop = concat(G, greatest(channels - 1, 1), window)") \
    /* convolutions of integers */ \
    FORMULA(CONVOLVE_TURNED, "convolve-turned", "the filter is flipped", "dimension-reversed", X_CONVOLVED_INTEGERS, "", "", \
            "* filter_alone, tap) => * filter_alone, window - 1 - tap)") \
    FORMULA(CONVOLVE_ZERO_IGNORED, "convolve-zero-ignored", "InputZeroPointTensor is ignored", "optional-ignored input-as-zero step-missing", X_CONVOLVED_INTEGERS, "", "", \
            "(element(X) - element(zero_of_input)) * => element(X) *") \
    FORMULA(CONVOLVE_FILTER_ZERO_IGNORED, "convolve-filter-zero-ignored", "FilterZeroPointTensor is ignored", "optional-ignored input-as-zero step-missing", X_CONVOLVED_INTEGERS, "", "", \
            "local filter_alone = element(F) - of_channel(zero_of_filter) => local filter_alone = element(F)") \
    FORMULA(CONVOLVE_ZERO_FIRST, "convolve-zero-first", "every output channel gets the first scale and zero point of the filter", "dimension-ignored", X_CONVOLVED_INTEGERS, "", "", \
            "[name] = filled(entry(at, 1), dims(name)) => [name] = filled(entry(at, 1) * 0, dims(name))") \
    FORMULA(CONVOLVE_ZERO_ADDED, "convolve-zero-added", "zero points are added", "step-order step-wrong", X_CONVOLVED_INTEGERS, "", "", \
            "local filter_alone = element(F) - => local filter_alone = element(F) +\n" \
            "(element(X) - element(zero_of_input)) => (element(X) + element(zero_of_input))") \
    FORMULA(CONVOLVE_PADDED_ZEROS, "convolve-padded-zeros", "padding counts as the integer 0", "", "", X_CONVOLVED_INTEGERS, "", \
            "results = { result(Y) { integers, => results = { result(Y) { integers + added_by_padding(),\n" \
            "opens = quantise(integers) => opens = quantise(integers + added_by_padding())") \
    FORMULA(CONVOLVE_BIAS_LOST, "convolve-bias-lost", "the bias of integers is ignored", "optional-ignored input-as-zero step-missing", "QUANTIZED_LINEAR_CONVOLUTION", "", "", \
            "local added = choose(present(B), bias, 0) => local added = 0 * part(integers, \"count\")") \
    FORMULA(CONVOLVE_BIAS_UNSCALED, "convolve-bias-unscaled", "the bias is added after the scales of input and filter", "step-order", "QUANTIZED_LINEAR_CONVOLUTION", "", "", \
            "quantised_sum { sum + added, => quantised_sum { sum + added / (element \"InputScaleTensor\" * of_channel(scale_of_filter)),") \
    FORMULA(CONVOLVE_SCALE_LOST, "convolve-scale-lost", "FilterScaleTensor counts as 1", "step-missing", "QUANTIZED_LINEAR_CONVOLUTION", "", "", \
            "of_channel(scale_of_filter) }, step => eq(1, 1) }, step")
/* clang-format on */

#endif
