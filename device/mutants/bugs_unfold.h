/* bugs_unfold.h: bugs of UNFOLD and FOLD. A line each, as in bugs_numbers.h. naive_unfold.c implements them. */
#ifndef BUGS_UNFOLD_H
#define BUGS_UNFOLD_H

#define U_BOTH "UNFOLD FOLD"

/* clang-format off */
#define UNFOLD_BUGS(NUMBER) \
    NUMBER(UNFOLD_STRIDES_FIRST, "unfold-strides-first", "the first stride holds for all dimensions", \
           "misplaced attribute-misread", U_BOTH, "", "") \
    NUMBER(UNFOLD_UNDILATED, "unfold-undilated", "dilations are taken as 1", "misplaced attribute-misread", U_BOTH, "", "") \
    NUMBER(UNFOLD_PADDING_SWAPPED, "unfold-padding-swapped", "EndPadding is taken for StartPadding", \
           "misplaced attribute-misread", U_BOTH, "", "") \
    NUMBER(UNFOLD_MIRRORED, "unfold-mirrored", "the places of a window are counted from its end", \
           "misplaced", U_BOTH, "", "") \
    NUMBER(UNFOLD_WINDOW_COLUMNS, "unfold-window-columns", "places in a window are counted by columns", \
           "misplaced", U_BOTH, "", "") \
    NUMBER(UNFOLD_PLACES_COLUMNS, "unfold-places-columns", "windows are counted by columns", \
           "misplaced", \
           U_BOTH, "", "") \
    NUMBER(UNFOLD_CHANNELS_INNER, "unfold-channels-inner", "the channel changes faster than the place in the window", \
           "misplaced", \
           U_BOTH, "", "") \
    NUMBER(UNFOLD_EDGE, "unfold-edge", "the padding has the nearest element", "misplaced", "UNFOLD", "", "") \
    NUMBER(UNFOLD_PADDING_KEPT, "unfold-padding-kept", "what is in the padding is not written", \
           "not-written", "UNFOLD", "", "") \
    NUMBER(UNFOLD_LAST_KEPT, "unfold-last-kept", "the last of several elements for a place replaces the others", \
           "misplaced", \
           "FOLD", "", "") \
    NUMBER(UNFOLD_AVERAGED, "unfold-averaged", "the sum is divided by the number of elements", "step-wrong", "FOLD", "", "") \
    NUMBER(UNFOLD_SIXTEEN, "unfold-sixteen", "from the seventeenth on, elements for a place are dropped", \
           "", "FOLD", "", "") \
    NUMBER(UNFOLD_GAPS_KEPT, "unfold-gaps-kept", "a place that no window has is not written", \
           "not-written", "FOLD", "", "")
/* clang-format on */

#endif
