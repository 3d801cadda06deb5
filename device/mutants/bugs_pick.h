/* bugs_pick.h: bugs of operators that place elements by numbers, or draw them, in the form of bugs_numbers.h.
 * naive_pick.c, naive_philox.c and naive_top_k.c implement them. */
#ifndef BUGS_PICK_H
#define BUGS_PICK_H

#define P_DIAGONALS "DIAGONAL_MATRIX DIAGONAL_MATRIX1"
#define P_LARGEST "TOP_K TOP_K1"

/* clang-format off */
#define PICK_BUGS(NUMBER) \
    /* diagonals */ \
    NUMBER(DIAGONAL_MIRRORED, "diagonal-mirrored", "diagonals count downwards", "misplaced attribute-misread step-wrong operands-swapped", P_DIAGONALS, "", "") \
    NUMBER(DIAGONAL_BATCH, "diagonal-batch", "of several matrices, only the first has diagonals", "", P_DIAGONALS, "", "") \
    NUMBER(DIAGONAL_WRAPS, "diagonal-wraps", "diagonals go on at the other side", "misplaced condition-wrong", P_DIAGONALS, "", "") \
    NUMBER(DIAGONAL_ROUNDED, "diagonal-rounded", "Value is rounded to an integer, not truncated", "", "DIAGONAL_MATRIX", "", "") \
    NUMBER(BAND_CLOSED, "band-closed", "DiagonalFillEnd is in the band, too", "attribute-misread", "DIAGONAL_MATRIX1", "", "") \
    NUMBER(BAND_SORTED, "band-sorted", "a band in the wrong order is filled inside", "condition-wrong", "DIAGONAL_MATRIX1", "", "") \
    NUMBER(BAND_EMPTY, "band-empty", "a band in the wrong order fills nothing", "condition-wrong", "DIAGONAL_MATRIX1", "", "") \
    NUMBER(BAND_ZEROS, "band-zeros", "elements outside of the band are 0", "input-as-zero optional-ignored", "DIAGONAL_MATRIX1", "", "") \
    /* subsequences */ \
    NUMBER(REVERSE_ALL, "reverse-all", "lengths are ignored: whole sequences are reversed", "misplaced offset-ignored offset-rounded condition-wrong step-missing", "REVERSE_SUBSEQUENCES", "", "") \
    NUMBER(REVERSE_LAST, "reverse-last", "the last elements of a sequence are reversed", "misplaced", "REVERSE_SUBSEQUENCES", "", "") \
    NUMBER(REVERSE_SHORT, "reverse-short", "a length is taken one too short", "misplaced", "REVERSE_SUBSEQUENCES", "", "") \
    NUMBER(REVERSE_ZEROS, "reverse-zeros", "the elements after a subsequence are 0", "", "REVERSE_SUBSEQUENCES", "", "") \
    NUMBER(REVERSE_FIRST, "reverse-first", "all sequences have the length of the first", "misplaced dimension-ignored", "REVERSE_SUBSEQUENCES", "", "") \
    NUMBER(REVERSE_LONG_KEPT, "reverse-long-kept", "a length above the size changes nothing", "index-outside-first misplaced", "REVERSE_SUBSEQUENCES", "", "") \
    NUMBER(REVERSE_LOW_HALF, "reverse-low-half", "only the low half of a 64-bit length counts", "index-low-half", "", "REVERSE_SUBSEQUENCES", "") \
    /* one-hot vectors */ \
    NUMBER(HOT_SWAPPED, "hot-swapped", "the two values change places", "misplaced condition-wrong dimension-reversed", "ONE_HOT", "", "") \
    NUMBER(HOT_LAST_VALUES, "hot-last-values", "the values are the last two", "misplaced", "ONE_HOT", "", "") \
    NUMBER(HOT_CLAMPED, "hot-clamped", "an index out of range marks the nearest place", "index-clamped index-outside-last index-outside-first", "ONE_HOT", "", "") \
    NUMBER(HOT_WRAPPED, "hot-wrapped", "an index counts modulo the size", "index-wrapped", "ONE_HOT", "", "") \
    NUMBER(HOT_NEGATIVE_LOST, "hot-negative-lost", "a negative index is out of range", "negative-lost", "ONE_HOT", "", "") \
    NUMBER(HOT_FIRST, "hot-first", "all sequences use the first index", "misplaced dimension-ignored", "ONE_HOT", "", "") \
    NUMBER(HOT_LOW_HALF, "hot-low-half", "only the low half of a 64-bit index counts", "index-low-half index-cut", "", "ONE_HOT", "") \
    /* unpooling */ \
    NUMBER(UNPOOL_BY_CHANNEL, "unpool-by-channel", "indices count within a channel", "misplaced", "MAX_UNPOOLING", "", "") \
    NUMBER(UNPOOL_BY_BATCH, "unpool-by-batch", "indices count within a batch", "misplaced", "MAX_UNPOOLING", "", "") \
    NUMBER(UNPOOL_COLUMNS, "unpool-columns", "indices count down the columns", "misplaced", "MAX_UNPOOLING", "", "") \
    NUMBER(UNPOOL_BY_MEMORY, "unpool-by-memory", "indices count elements of the output in memory", "misplaced strides-ignored", "MAX_UNPOOLING", "", "") \
    NUMBER(UNPOOL_KEPT, "unpool-kept", "the other elements are not written", "not-written", "MAX_UNPOOLING", "", "") \
    NUMBER(UNPOOL_ADDED, "unpool-added", "elements with the same index are added", "", "", "MAX_UNPOOLING", "") \
    /* random numbers */ \
    NUMBER(PHILOX_7, "philox-7", "there are 7 rounds", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_SAME_KEY, "philox-same-key", "all rounds have the same key", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_WORDS_BACK, "philox-words-back", "the words of a block come in the other order", "misplaced", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_HIGH_FIRST, "philox-high-first", "the highest word of the counter comes first", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_KEY_FIRST, "philox-key-first", "the state begins with the key", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_NO_CARRY, "philox-no-carry", "the counter has no carry", "misplaced", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_CARRY_64, "philox-carry-64", "the counter wraps at 2^64", "misplaced", "RANDOM_GENERATOR", "", "") \
    NUMBER(PHILOX_FIRST_WORD, "philox-first-word", "each element is the first word of a block", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(STATE_KEPT, "state-kept", "the state does not go on", "misplaced", "RANDOM_GENERATOR", "", "") \
    NUMBER(STATE_BY_ELEMENT, "state-by-element", "the counter goes on by the number of elements", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(STATE_FULL_BLOCKS, "state-full-blocks", "a last block with unused words does not count", "", "RANDOM_GENERATOR", "", "") \
    NUMBER(STATE_KEY_LOST, "state-key-lost", "the key that goes on is 0", "", "RANDOM_GENERATOR", "", "") \
    /* the largest elements */ \
    NUMBER(TOP_OTHER_END, "top-other-end", "the smallest elements are taken for the largest", "order-opposite attribute-misread", P_LARGEST, "", "") \
    NUMBER(TOP_OF_64, "top-of-64", "beyond the 64th, the 64th element is repeated", "", P_LARGEST, "", "") \
    NUMBER(TOP_BACKWARDS, "top-backwards", "the right elements come in the other order", "row-order", P_LARGEST, "", "") \
    NUMBER(TOP_UNSORTED, "top-unsorted", "the right elements come in the order of their indices", "row-order", P_LARGEST, "", "") \
    NUMBER(TOP_TIES_LAST, "top-ties-last", "of equal elements, the last comes first", "equal-mixed", P_LARGEST, "", "") \
    NUMBER(TOP_MAGNITUDE, "top-magnitude", "numbers are compared without their sign", "order-key", P_LARGEST, "", "") \
    NUMBER(TOP_AS_SIGNED, "top-as-signed", "elements are compared as signed integers of their bits", "order-key", P_LARGEST, "", "") \
    NUMBER(TOP_IN_FLOAT, "top-in-float", "integers are compared in FLOAT32", "order-key", P_LARGEST, "", "") \
    NUMBER(TOP_INDEX_WHOLE, "top-index-whole", "indices number the elements of the whole input", "row-flat", P_LARGEST, "", "") \
    NUMBER(TOP_INDEX_8_BITS, "top-index-8-bits", "indices are cut to 8 bits", "index-cut", P_LARGEST, "", "") \
    NUMBER(TOP_INDEX_TWICE, "top-index-twice", "of equal elements, all have the index of the first", "equal-mixed", P_LARGEST, "", "") \
    NUMBER(TOP_EDGE_UNSEEN, "top-edge-unseen", "the last element of each tile of 512 comes after all others", "", P_LARGEST, "", "") \
    NUMBER(TOP_NAN_FIRST, "top-nan-first", "a NaN comes before all numbers", "", "", "", P_LARGEST) \
    NUMBER(TOP_ZEROS_DIFFER, "top-zeros-differ", "a zero with a sign is less than one without", "order-key", "", P_LARGEST, "") \
    NUMBER(TOP_NAN_INFINITY, "top-nan-infinity", "a NaN comes out as an infinity", "nan-infinity", P_LARGEST, "", "")
/* clang-format on */

#endif
