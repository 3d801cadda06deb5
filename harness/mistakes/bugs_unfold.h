/* bugs_unfold.h: bugs of UNFOLD and FOLD. A line each, as in bugs_numbers.h. naive_unfold.c implements those of UNFOLD,
 * which has no formula. */
#ifndef MISTAKES_BUGS_UNFOLD_H
#define MISTAKES_BUGS_UNFOLD_H

#define U_BOTH "UNFOLD FOLD"

/* clang-format off */
#define UNFOLD_BUGS(FORMULA) \
    FORMULA(UNFOLD_STRIDES_FIRST, "unfold-strides-first", "the first stride holds for all dimensions", \
           "misplaced attribute-misread", U_BOTH, "", "", \
            "step(windows) * dilations, strides, => step(windows) * dilations, filled(entry(strides, 0), n),") \
    FORMULA(UNFOLD_UNDILATED, "unfold-undilated", "dilations are taken as 1", "misplaced attribute-misread", U_BOTH, "", "", \
            "step(windows) * dilations, strides, => step(windows), strides,") \
    FORMULA(UNFOLD_PADDING_SWAPPED, "unfold-padding-swapped", "EndPadding is taken for StartPadding", \
           "misplaced attribute-misread", U_BOTH, "", "", \
            "+ before - step(windows) => + after - step(windows)") \
    FORMULA(UNFOLD_MIRRORED, "unfold-mirrored", "the places of a window are counted from its end", \
           "misplaced dimension-reversed", U_BOTH, "", "", \
            "- step(windows) * dilations, strides, => - (windows - 1 - step(windows)) * dilations, strides,") \
    FORMULA(UNFOLD_WINDOW_COLUMNS, "unfold-window-columns", "places in a window are counted by columns", \
           "misplaced", U_BOTH, "", "", \
            "step(windows) * weights(windows) => step(windows) * (product(windows) // (weights(windows) * windows))") \
    FORMULA(UNFOLD_PLACES_COLUMNS, "unfold-places-columns", "windows are counted by columns", \
           "misplaced", \
           U_BOTH, "", "", \
            "window * weights(P.places) => window * (product(P.places) // (weights(P.places) * P.places))") \
    FORMULA(UNFOLD_CHANNELS_INNER, "unfold-channels-inner", "the channel changes faster than the place in the window", \
           "misplaced", \
           U_BOTH, "", "", \
            "* product(windows) + sum(step(windows) * weights(windows)) => + sum(step(windows) * weights(windows)) * P.channels") \
    FORMULA(UNFOLD_EDGE, "unfold-edge", "the padding has the nearest element", "misplaced", "UNFOLD", "", "", NULL) \
    FORMULA(UNFOLD_PADDING_KEPT, "unfold-padding-kept", "what is in the padding is not written", \
           "not-written", "UNFOLD", "", "", NULL) \
    FORMULA(UNFOLD_LAST_KEPT, "unfold-last-kept", "the last of several elements for a place replaces the others", \
           "misplaced", \
           "FOLD", "", "", NULL) \
    FORMULA(UNFOLD_AVERAGED, "unfold-averaged", "the sum is divided by the number of elements", "step-wrong", "FOLD", "", "", \
            "results = { result(Y) { summed, => results = { result(Y) { choose(gt(part(summed, \"count\"), 0), summed / part(summed, \"count\"), 0),") \
    FORMULA(UNFOLD_SIXTEEN, "unfold-sixteen", "from the seventeenth on, elements of a window are dropped", \
           "fold-missed", "FOLD", "", "", NULL) \
    FORMULA(UNFOLD_GAPS_KEPT, "unfold-gaps-kept", "a place that no window has is not written", \
           "not-written", "FOLD", "", "", \
            "results = { result(Y) { summed, => results = { result(Y) { part(summed, \"count\"),")
/* clang-format on */

#endif
