/* bugs_response.h: bugs of LOCAL_RESPONSE_NORMALIZATION, its gradient and VALUE_SCALE_2D. A line each, as in
 * bugs_numbers.h. naive_response.c implements them. */
#ifndef BUGS_RESPONSE_H
#define BUGS_RESPONSE_H

#define L_GRADIENT "LOCAL_RESPONSE_NORMALIZATION_GRAD"
#define L_BOTH "LOCAL_RESPONSE_NORMALIZATION " L_GRADIENT
#define L_VALUES "VALUE_SCALE_2D"

/* clang-format off */
#define RESPONSE_BUGS(NUMBER) \
    /* windows */ \
    NUMBER(RESPONSE_EDGE, "response-edge", "windows are not clipped: the nearest element counts again", "", L_BOTH, "", "") \
    NUMBER(RESPONSE_WRAPPED, "response-wrapped", "windows are not clipped: they go on at the other end", "step-missing", L_BOTH, "", "") \
    NUMBER(RESPONSE_SWAPPED, "response-swapped", "CrossChannel is taken for its opposite", "attribute-misread condition-wrong", L_BOTH, "", "") \
    NUMBER(RESPONSE_CHANNELS, "response-channels", "windows are always of channels", "attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_CUBE, "response-cube", "with CrossChannel, windows are of channels, rows and columns", "attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_ROW, "response-row", "without CrossChannel, windows are of one row", "attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_RADIUS, "response-radius", "LocalSize is the number of elements on each side", "attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_ODD, "response-odd", "the window of an even LocalSize has one element less", "fold-missed attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_SIXTEEN, "response-sixteen", "only 16 elements of a window count", "attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_MIRRORED, "response-mirrored", "with an even LocalSize, windows have one element more before than after", \
           "", "", "", L_BOTH) \
    /* S */ \
    NUMBER(RESPONSE_COUNTED, "response-counted", "the divisor is the number of elements in the window", "step-missing attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_UNDIVIDED, "response-undivided", "the divisor is 1", "step-missing attribute-misread", L_BOTH, "", "") \
    NUMBER(RESPONSE_SQUARED, "response-squared", "without CrossChannel, the divisor is the square of LocalSize", "", "", L_BOTH, "") \
    NUMBER(RESPONSE_SQUARED_ALWAYS, "response-squared-always", "the divisor is the square of LocalSize", "", L_BOTH, "", "") \
    NUMBER(RESPONSE_EXCHANGED, "response-exchanged", "Alpha and Beta change places", "attributes-swapped", L_BOTH, "", "") \
    NUMBER(RESPONSE_UNBIASED, "response-unbiased", "Bias is not added", "attribute-ignored step-missing", L_BOTH, "", "") \
    NUMBER(RESPONSE_ONE, "response-one", "Bias is always 1", "attribute-ignored", L_BOTH, "", "") \
    NUMBER(RESPONSE_TYPICAL, "response-typical", "Beta is always 0.75", "attribute-ignored", L_BOTH, "", "") \
    NUMBER(RESPONSE_UNSQUARED, "response-unsquared", "the elements are not squared", "step-missing", L_BOTH, "", "") \
    /* the gradient */ \
    NUMBER(RESPONSE_FIRST_TERM, "response-first-term", "the gradient lacks its second term", "step-missing", L_GRADIENT, "", "") \
    NUMBER(RESPONSE_HALVED, "response-halved", "the second term lacks its factor of 2", "step-missing constant-wrong", L_GRADIENT, "", "") \
    NUMBER(RESPONSE_OWN_WINDOW, "response-own-window", "an even window is not mirrored for the second term", "", L_GRADIENT, "", "") \
    NUMBER(RESPONSE_OWN_BASE, "response-own-base", "all elements of the second term have the S in the middle", "", \
           L_GRADIENT, "", "") \
    NUMBER(RESPONSE_OWN_GRADIENT, "response-own-gradient", "all elements of the second term have the gradient in the middle", "", \
           L_GRADIENT, "", "") \
    NUMBER(RESPONSE_POWER, "response-power", "the power of the second term is that of the first", "step-missing", L_GRADIENT, "", "") \
    NUMBER(RESPONSE_NO_ELEMENT, "response-no-element", "the second term lacks its own element", "step-missing", L_GRADIENT, "", "") \
    /* VALUE_SCALE_2D */ \
    NUMBER(VALUE_FIRST_BIAS, "value-first-bias", "all channels have the first Bias", "", L_VALUES, "", "") \
    NUMBER(VALUE_COLUMN_BIAS, "value-column-bias", "Bias is chosen by the column", "", L_VALUES, "", "") \
    NUMBER(VALUE_BATCH_BIAS, "value-batch-bias", "Bias is chosen by the batch", "", L_VALUES, "", "") \
    NUMBER(VALUE_LAST_FIRST, "value-last-first", "Bias counts from the last channel", "", L_VALUES, "", "") \
    NUMBER(VALUE_UNBIASED, "value-unbiased", "Bias is not added", "step-missing", L_VALUES, "", "") \
    NUMBER(VALUE_UNSCALED, "value-unscaled", "Scale is 1", "attribute-ignored step-missing", L_VALUES, "", "") \
    NUMBER(VALUE_BIAS_SCALED, "value-bias-scaled", "Bias is multiplied, too", "step-order", L_VALUES, "", "")
/* clang-format on */

#endif
