/* This file has the table of mistakes. An entry has a name for fault=NAME of the mutants, the explanation that a run
 * names, the kind of mistake, and the data that the kind needs. */
#include "harness/trial/explain_internal.h"

#include "harness/trial/rewrites.h"

#include <math.h>
#include <string.h>

/* ---- elements that are not written */

#define SKIPS(name, condition)                                                                                         \
    static bool name(uint64_t number, uint64_t count, uint64_t column, uint64_t columns, unsigned bits)                \
    {                                                                                                                  \
        (void)number, (void)count, (void)column, (void)columns, (void)bits;                                            \
        return condition;                                                                                              \
    }
SKIPS(skip_group_64_tail, count >= 64 && number >= count / 64 * 64)
SKIPS(skip_group_edge, number % 256 == 255)
SKIPS(skip_from_1024, number >= 1024)
SKIPS(skip_from_65536, number >= 65536)
SKIPS(skip_row_64, column >= 64)
SKIPS(skip_row_256, column >= 256)
SKIPS(skip_row_1024, column >= 1024)
SKIPS(skip_every_7th, number % 7 == 6)
SKIPS(skip_last, number + 1 == count)
SKIPS(skip_but_first_of_four, number % 4 != 0)
SKIPS(skip_but_last_of_four, number % 4 != 3)
SKIPS(skip_row_tail, column >= columns / 4 * 4)
SKIPS(skip_tail_4, number >= count / 4 * 4)
SKIPS(skip_tail_8, number >= count / 8 * 8)

/* ---- the table */

/* clang-format off */
#define ELEMENTS(kind, name, explanation, how) \
    {name, EXPLAIN_##explanation, kind, {.rewrite = how}, 0, false, false, false}
#define SWAPPED(name, how) /* the elements become so small or large that the outputs may be 0 for other reasons, too */ \
    {name, EXPLAIN_BYTES_SWAPPED, mistake_reads, {.rewrite = how}, 0, false, false, true}
#define OF_TYPE(kind, name, explanation, how) /* the same entry for all types recognises the mistake */ \
    {name, EXPLAIN_##explanation, kind, {.rewrite = how}, 0, true, false, false}
#define NUMBERS(kind, name, explanation, how) \
    {name, EXPLAIN_##explanation, kind, {.rewrite = how}, 0, false, true, false}
#define TOLD(kind, name, explanation, how) \
    {name, EXPLAIN_##explanation, kind, {.rewrite = how}, 0, false, true, true}
#define PLAIN(kind, name, explanation) \
    {name, EXPLAIN_##explanation, kind, {.number = 0}, 0, false, false, false}
#define NUMBERED(kind, name, explanation, first, second) \
    {name, EXPLAIN_##explanation, kind, {.number = first}, second, false, false, false}
#define CLOSE(kind, name, explanation, first, second) \
    {name, EXPLAIN_##explanation, kind, {.number = first}, second, false, true, true}
#define SKIPPED(name, how) \
    {name, EXPLAIN_NOT_WRITTEN, mistake_skips, {.skips = how}, 0, true, false, false}
#define INDEX(name, explanation, first, second) NUMBERED(mistake_misreads, name, explanation, INDEX_##first, second)
#define PLACE(name, explanation, first, second) NUMBERED(mistake_misplaces, name, explanation, PLACE_##first, second)
#define OFFSET(name, explanation, first) \
    {name, EXPLAIN_##explanation, mistake_offsets, {.number = first}, 0, false, false, true}
#define LIST(name, first) CLOSE(mistake_lists, name, ATTRIBUTE_MISREAD, LIST_##first, 0)
#define EDIT(name, explanation, first) CLOSE(mistake_edits, name, explanation, EDIT_##first, 0)
#define SLIP(name, explanation, first, tile) \
    {name, EXPLAIN_##explanation, mistake_slips, {.number = SLIP_##first}, tile, false, true, false}

#define ROUNDED(name, explanation, how) \
    {name, EXPLAIN_ATTRIBUTE_##explanation, mistake_rounds, {.round = how}, 0, false, true, false}

#define MUTANT(kind, name, explanation, first, second) /* only the mutants make it; another entry recognises it */ \
    {name, EXPLAIN_##explanation, kind, {.number = first}, second, true, false, false}

const struct mistake mistakes[] = {
    /* folds of many elements */
    SLIP("fold-last-missed", FOLD_MISSED, LAST_MISSED, 0),
    SLIP("fold-first-missed", FOLD_MISSED, FIRST_MISSED, 0),
    SLIP("fold-first-twice", FOLD_TWICE, FIRST_TWICE, 0),
    SLIP("fold-last-twice", FOLD_TWICE, LAST_TWICE, 0),
    SLIP("fold-from-zero", FOLD_FROM_ZERO, FROM_ZERO, 0),
    SLIP("fold-from-lowest", FOLD_FROM_LOWEST, FROM_LOWEST, 0),
    SLIP("fold-from-least", FOLD_FROM_LEAST, FROM_LEAST, 0),
    SLIP("fold-ties", EQUAL_MIXED, TIES_OTHER, 0),
    SLIP("fold-edge-missed", FOLD_MISSED, EDGES_MISSED, 32),
    SLIP("fold-edge-twice", FOLD_TWICE, EDGES_TWICE, 32),
    CLOSE(mistake_slips, "fold-tail-missed", FOLD_MISSED, SLIP_TAIL_MISSED, 4),
    CLOSE(mistake_slips, "fold-rest-missed", FOLD_MISSED, SLIP_REST_MISSED, 4),
    SLIP("fold-columns", PLACE_COLUMNS, PLACES, 0),
    SLIP("softmax-ties-columns", EQUAL_MIXED, COLUMNS, 0),
    MUTANT(mistake_slips, "fold-last-dropped", FOLD_MISSED, SLIP_LAST_MISSED, 1024),
    MUTANT(mistake_slips, "softmax-last-dropped", FOLD_MISSED, SLIP_LAST_MISSED, 1024),
    MUTANT(mistake_slips, "normal-last-dropped", FOLD_MISSED, SLIP_LAST_MISSED, 32),
    MUTANT(mistake_slips, "normal-tail-dropped", FOLD_MISSED, SLIP_TAIL_MISSED, 4),
    MUTANT(mistake_slips, "fold-edge-unseen", FOLD_MISSED, SLIP_EDGES_MISSED, 512),
    MUTANT(mistake_slips, "softmax-edge-unseen", FOLD_MISSED, SLIP_EDGES_MISSED, 512),
    MUTANT(mistake_slips, "softmax-edge-twice", FOLD_TWICE, SLIP_EDGES_TWICE, 128),
    MUTANT(mistake_slips, "response-sixteen", FOLD_MISSED, SLIP_REST_MISSED, 16),
    MUTANT(mistake_slips, "unfold-sixteen", FOLD_MISSED, SLIP_REST_MISSED, 16),
    MUTANT(mistake_slips, "unfold-last-kept", FOLD_MISSED, SLIP_LAST_KEPT, 0),
    MUTANT(mistake_slips, "fold-in-half", FLOAT_NARROWED, SLIP_IN_HALF, 0),
    MUTANT(mistake_slips, "softmax-in-half", FLOAT_NARROWED, SLIP_IN_HALF, 0),
    MUTANT(mistake_slips, "normal-in-half", FLOAT_NARROWED, SLIP_IN_HALF, 0),
    /* elements */
    ELEMENTS(mistake_counts, "minus-zero-counted", MINUS_ZERO_COUNTED, rewrite_minus_zero_to_one),
    ELEMENTS(mistake_reads, "minus-zero-lost", MINUS_ZERO_LOST, rewrite_minus_zero_to_zero),
    ELEMENTS(mistake_selects, "selected-minus-zero-lost", MINUS_ZERO_LOST, rewrite_minus_zero_to_zero),
    ELEMENTS(mistake_counts, "denormals-missed", DENORMALS_FLUSHED, rewrite_denormal_to_zero),
    ELEMENTS(mistake_reads, "denormals-flushed", DENORMALS_FLUSHED, rewrite_denormal_to_zero),
    ELEMENTS(mistake_reads, "denormals-to-zero", DENORMALS_FLUSHED, rewrite_denormal_to_plus_zero),
    ELEMENTS(mistake_selects, "selected-denormals-flushed", DENORMALS_FLUSHED, rewrite_denormal_to_zero),
    ELEMENTS(mistake_reads, "nan-quiet", NAN_QUIETED, rewrite_quiet),
    ELEMENTS(mistake_selects, "selected-nan-quieted", NAN_QUIETED, rewrite_quiet),
    ELEMENTS(mistake_reads, "nan-canonical", NAN_CANONICAL, rewrite_canonical),
    ELEMENTS(mistake_selects, "selected-nan-canonical", NAN_CANONICAL, rewrite_canonical),
    ELEMENTS(mistake_reads, "nan-infinity", NAN_INFINITY, rewrite_nan_to_infinity),
    ELEMENTS(mistake_selects, "selected-nan-infinity", NAN_INFINITY, rewrite_nan_to_infinity),
    ELEMENTS(mistake_reads, "infinity-largest", INFINITY_LARGEST, rewrite_infinity_to_largest),
    ELEMENTS(mistake_selects, "selected-infinity-largest", INFINITY_LARGEST, rewrite_infinity_to_largest),
    ELEMENTS(mistake_counts, "nan-missed", NAN_MISSED, rewrite_nan_to_zero),
    ELEMENTS(mistake_counts, "infinity-missed", INFINITY_MISSED, rewrite_infinity_to_zero),
    ELEMENTS(mistake_counts, "fractions-missed", FRACTIONS_MISSED, rewrite_fraction_to_zero),
    ELEMENTS(mistake_counts, "negative-missed", NEGATIVE_MISSED, rewrite_negative_to_zero),
    ELEMENTS(mistake_counts, "unsigned-missed", NEGATIVE_MISSED, rewrite_nonpositive_to_zero),
    ELEMENTS(mistake_counts, "low-byte-only", LOW_BYTE_ONLY, rewrite_low_byte),
    ELEMENTS(mistake_reads, "lowest-clipped", LOWEST_CLIPPED, rewrite_lowest_to_next),
    ELEMENTS(mistake_reads, "unsigned-clipped", UNSIGNED_CLIPPED, rewrite_clip_unsigned),
    ELEMENTS(mistake_reads, "float-narrowed", FLOAT_NARROWED, rewrite_narrow),
    ELEMENTS(mistake_reads, "float-halved", FLOAT_NARROWED, rewrite_half),
    ELEMENTS(mistake_selects, "selected-halved", FLOAT_NARROWED, rewrite_half),
    ELEMENTS(mistake_reads, "integer-float32", INTEGER_AS_FLOAT, rewrite_through_float32),
    ELEMENTS(mistake_reads, "integer-float64", INTEGER_AS_FLOAT, rewrite_through_float64),
    ELEMENTS(mistake_reads, "high-half-lost", HIGH_HALF_LOST, rewrite_low_half),
    SWAPPED("halves-swapped", rewrite_swap_halves),
    SWAPPED("bytes-swapped", rewrite_swap_bytes),
    OF_TYPE(mistake_reads, "float32-half", FLOAT_NARROWED, rewrite_float32_half),
    OF_TYPE(mistake_reads, "float64-float32", FLOAT_NARROWED, rewrite_float64_float32),
    OF_TYPE(mistake_reads, "denormals-16-flushed", DENORMALS_FLUSHED, rewrite_denormals_16),
    OF_TYPE(mistake_reads, "denormals-64-flushed", DENORMALS_FLUSHED, rewrite_denormals_64),
    OF_TYPE(mistake_reads, "int32-float32", INTEGER_AS_FLOAT, rewrite_int32_float32),
    OF_TYPE(mistake_reads, "int64-float64", INTEGER_AS_FLOAT, rewrite_int64_float64),
    OF_TYPE(mistake_reads, "nan-positive", NAN_MISSED, rewrite_negative_nan_to_zero),
    /* results */
    NUMBERS(mistake_writes, "result-denormals-flushed", DENORMALS_FLUSHED, rewrite_denormal_to_zero),
    OF_TYPE(mistake_writes, "result-flushed", DENORMALS_FLUSHED, rewrite_denormal_to_zero),
    NUMBERS(mistake_writes, "result-zero-positive", MINUS_ZERO_LOST, rewrite_minus_zero_to_zero),
    NUMBERS(mistake_writes, "result-nan-lost", NAN_MISSED, rewrite_nan_to_zero),
    NUMBERS(mistake_writes, "result-nan-infinity", NAN_INFINITY, rewrite_nan_to_infinity),
    NUMBERS(mistake_writes, "result-infinity-largest", INFINITY_LARGEST, rewrite_infinity_to_largest),
    NUMBERS(mistake_writes, "result-infinity-nan", INFINITY_NAN, rewrite_infinity_to_nan),
    NUMBERS(mistake_writes, "result-infinity-positive", INFINITY_POSITIVE, rewrite_infinity_positive),
    TOLD(mistake_writes, "result-half", FLOAT_NARROWED, rewrite_half),
    {"computed-half", EXPLAIN_FLOAT_NARROWED, mistake_computes, {.rewrite = rewrite_float32_half},
     DML_TENSOR_DATA_TYPE_FLOAT32, false, true, true},
    TOLD(mistake_computes, "computed-short", FLOAT_NARROWED, rewrite_short),
    TOLD(mistake_reads, "operands-short", FLOAT_NARROWED, rewrite_short),
    PLAIN(mistake_floats, "integers-in-float", INTEGER_AS_FLOAT),
    NUMBERS(mistake_writes, "result-in-float", INTEGER_AS_FLOAT, rewrite_through_float32),
    NUMBERS(mistake_computes, "integers-in-double", INTEGER_AS_FLOAT, rewrite_through_float64),
    NUMBERS(mistake_writes, "result-high-half-lost", HIGH_HALF_LOST, rewrite_low_half),
    NUMBERS(mistake_writes, "truth-negated", TRUTH_NEGATED, rewrite_truth_negated),
    NUMBERS(mistake_writes, "true-all-ones", TRUTH_ONES, rewrite_truth_ones),
    CLOSE(mistake_retypes, "sign-confused", SIGN_CONFUSED, 0, 0),
    MUTANT(mistake_retypes, "unsigned-as-signed", SIGN_CONFUSED, 1, 0),
    MUTANT(mistake_retypes, "signed-as-unsigned", SIGN_CONFUSED, 2, 0),
    {"block-modulo", EXPLAIN_BLOCK_MODULO, mistake_blocks, {.number = 0}, 0, false, true, false},
    /* operands */
    PLAIN(mistake_swaps, "operands-swapped", OPERANDS_SWAPPED),
    PLAIN(mistake_doubles, "operand-twice", OPERAND_TWICE),
    PLAIN(mistake_exchanges, "outputs-swapped", OUTPUTS_SWAPPED),
    PLAIN(mistake_omits, "optional-ignored", OPTIONAL_IGNORED),
    {"input-as-zero", EXPLAIN_INPUT_AS_ZERO, mistake_clears, {.number = 0}, 0, false, false, true},
    /* indices */
    INDEX("sign-ignored", SIGN_IGNORED, ABSOLUTE, 0),
    INDEX("negative-as-zero", NEGATIVE_AS_ZERO, ZERO, 0),
    INDEX("negative-unsigned", NEGATIVE_LOST, UNSIGNED, 0),
    INDEX("negative-lost", NEGATIVE_LOST, LOST, 0),
    INDEX("negative-one-only", NEGATIVE_LOST, LOST_BUT_MINUS_ONE, 0),
    INDEX("negative-first-only", NEGATIVE_LOST, LOST_BUT_FIRST, 0),
    INDEX("negative-last-only", NEGATIVE_LOST, LOST_BUT_LAST, 0),
    INDEX("negative-lowest-lost", NEGATIVE_LOST, LOST_LOWEST, 0),
    INDEX("negative-twice", NEGATIVE_BASE, BASE_FACTOR, 2),
    INDEX("negative-one-short", NEGATIVE_BASE, BASE_SHORT, 1),
    INDEX("negative-one-long", NEGATIVE_BASE, BASE_SHORT, -1),
    INDEX("negative-plus-rank", NEGATIVE_BASE, BASE_RANK, 0),
    INDEX("negative-plus-size", NEGATIVE_BASE, BASE_SIZE, 0),
    INDEX("negative-unpadded", NEGATIVE_BASE, BASE_SIZES, 0),
    INDEX("index-type", INDEX_TYPE, TYPE, 0),
    INDEX("index-low-half", INDEX_LOW_HALF, LOW_HALF, 0),
    INDEX("index-32-bits", INDEX_LOW_HALF, LOW_HALF_SIGNED, 0),
    INDEX("index-words", INDEX_WORDS, WORDS, 0),
    INDEX("index-words-narrow", INDEX_WORDS, WORDS_NARROW, 0),
    INDEX("index-8-bits", INDEX_CUT, MASKED, 8),
    INDEX("index-16-bits", INDEX_CUT, MASKED, 16),
    INDEX("index-half", INDEX_ROUNDED, HALF, 0),
    INDEX("index-float32", INDEX_ROUNDED, FLOAT, 0),
    INDEX("index-last-lost", INDEX_LAST_LOST, LAST_LOST, 0),
    INDEX("index-last-to-first", INDEX_LAST_LOST, LAST_TO_FIRST, 0),
    INDEX("index-clamped", INDEX_CLAMPED, NEAREST, 0),
    INDEX("index-end-clamped", INDEX_CLAMPED, END_TO_LAST, 0),
    INDEX("index-outside-first", INDEX_OUTSIDE_FIRST, OUTSIDE_TO_FIRST, 0),
    INDEX("index-outside-last", INDEX_OUTSIDE_LAST, OUTSIDE_TO_LAST, 0),
    INDEX("index-wrapped", INDEX_WRAPPED, WRAPPED, 0),
    INDEX("tuple-reversed", TUPLE_MIXED, REVERSED, 0),
    INDEX("tuple-shifted", TUPLE_MIXED, SHIFTED, 0),
    INDEX("tuple-first-only", TUPLE_MIXED, FIRST_ONLY, 0),
    /* memory */
    PLACE("strides-packed", STRIDES_IGNORED, PACKED, 0),
    PLACE("last-stride-one", STRIDE_IGNORED, LAST_ONE, 0),
    PLACE("first-stride-packed", STRIDE_IGNORED, FIRST_PACKED, 0),
    OFFSET("offset-ignored", OFFSET_IGNORED, 0),
    OFFSET("offset-rounded-4", OFFSET_ROUNDED, 4),
    OFFSET("offset-rounded-8", OFFSET_ROUNDED, 8),
    OFFSET("offset-rounded-16", OFFSET_ROUNDED, 16),
    OFFSET("offset-rounded-32", OFFSET_ROUNDED, 32),
    OFFSET("offset-rounded-64", OFFSET_ROUNDED, 64),
    OFFSET("offset-rounded-128", OFFSET_ROUNDED, 128),
    OFFSET("offset-rounded-256", OFFSET_ROUNDED, 256),
    OFFSET("offset-rounded-512", OFFSET_ROUNDED, 512),
    OFFSET("offset-rounded-1024", OFFSET_ROUNDED, 1024),
    OFFSET("offset-rounded-2048", OFFSET_ROUNDED, 2048),
    OFFSET("offset-rounded-4096", OFFSET_ROUNDED, 4096),
    PLACE("place-8-bits", PLACE_CUT, MASKED, 8),
    PLACE("place-16-bits", PLACE_CUT, MASKED, 16),
    {"place-20-bits", EXPLAIN_PLACE_CUT, mistake_misplaces, {.number = PLACE_MASKED}, 20, true, false, false},
    {"place-24-bits", EXPLAIN_PLACE_CUT, mistake_misplaces, {.number = PLACE_MASKED}, 24, true, false, false},
    PLACE("rank-4", RANK_LIMITED, FROM_RANK, 4),
    PLACE("rank-merged", RANK_LIMITED, MERGED, 4),
    PLACE("rank-5", RANK_LIMITED, FROM_RANK, 5),
    PLACE("rank-5-merged", RANK_LIMITED, MERGED, 5),
    PLACE("rank-6", RANK_LIMITED, FROM_RANK, 6),
    PLACE("rank-6-merged", RANK_LIMITED, MERGED, 6),
    PLACE("rank-7", RANK_LIMITED, FROM_RANK, 7),
    PLACE("rank-7-merged", RANK_LIMITED, MERGED, 7),
    PLACE("nibbles-swapped", BYTES_SWAPPED, NIBBLES, 0),
    MUTANT(mistake_flattens, "broadcast-first", DIMENSION_IGNORED, 0, 0),
    {"dimension-ignored", EXPLAIN_DIMENSION_IGNORED, mistake_collapses, {.number = 0}, 0, false, false, true},
    {"dimensions-exchanged", EXPLAIN_DIMENSIONS_EXCHANGED, mistake_reorders, {.number = PLACE_EXCHANGED}, 0, false, false, true},
    {"dimension-reversed", EXPLAIN_DIMENSION_REVERSED, mistake_reorders, {.number = PLACE_REVERSED}, 0, false, false, true},
    /* attributes */
    {"attribute-misread", EXPLAIN_ATTRIBUTE_MISREAD, mistake_numbers, {.number = 0}, 0, false, false, true},
    ROUNDED("attribute-nearest", NEAREST, rintf),
    ROUNDED("attribute-halves-away", NEAREST, roundf),
    ROUNDED("attribute-down", DOWN, floorf),
    ROUNDED("attribute-up", UP, ceilf),
    ROUNDED("attribute-truncated", TRUNCATED, truncf),
    CLOSE(mistake_reals, "attribute-ignored", ATTRIBUTE_IGNORED, 0, 0),
    CLOSE(mistake_trades, "attributes-swapped", ATTRIBUTES_SWAPPED, 0, 0),
    LIST("list-reversed", REVERSED),
    LIST("list-first", FIRST),
    LIST("list-last", LAST),
    LIST("list-zeros", ZEROS),
    LIST("list-ones", ONES),
    LIST("list-absolute", ABSOLUTE),
    LIST("lists-swapped", TRADED),
    LIST("list-only-first", ONLY_FIRST),
    LIST("list-only-last", ONLY_LAST),
    LIST("list-last-dimension", LAST_DIMENSION),
    LIST("list-all-dimensions", ALL_DIMENSIONS),
    LIST("list-next", NEXT),
    LIST("list-before", BEFORE),
    LIST("list-negated", NEGATED),
    LIST("list-inverted", INVERTED),
    LIST("list-floored", FLOORED),
    /* formulas */
    EDIT("extreme-opposite", ORDER_OPPOSITE, EXTREME),
    {"softmax-unshifted", EXPLAIN_POWERS_OVERFLOW, mistake_edits, {.number = EDIT_UNSHIFTED}, 0, false, true, false},
    EDIT("formula-operands", OPERANDS_SWAPPED, OPERANDS),
    EDIT("condition-wrong", CONDITION_WRONG, CONDITION),
    EDIT("step-missing", STEP_MISSING, STEP_MISSING),
    EDIT("step-order", STEP_ORDER, STEP_ORDER),
    EDIT("step-wrong", STEP_WRONG, STEP_WRONG),
    EDIT("constant-wrong", CONSTANT_WRONG, CONSTANT),
    /* elements that are not written */
    SKIPPED("group-64-tail", skip_group_64_tail),
    SKIPPED("group-edge", skip_group_edge),
    SKIPPED("from-1024", skip_from_1024),
    SKIPPED("from-65536", skip_from_65536),
    SKIPPED("row-64", skip_row_64),
    SKIPPED("row-256", skip_row_256),
    SKIPPED("row-1024", skip_row_1024),
    SKIPPED("every-7th", skip_every_7th),
    SKIPPED("last-lost", skip_last),
    SKIPPED("first-of-four", skip_but_first_of_four),
    SKIPPED("last-of-four", skip_but_last_of_four),
    SKIPPED("row-tail", skip_row_tail),
    SKIPPED("tail-4", skip_tail_4),
    SKIPPED("tail-8", skip_tail_8),
};
/* clang-format on */

const int mistake_count = sizeof mistakes / sizeof *mistakes;

const struct mistake *mistake_find(const char *name)
{
    for (int i = 0; i < mistake_count; i++)
        if (strcmp(mistakes[i].name, name) == 0)
            return &mistakes[i];
    return NULL;
}
