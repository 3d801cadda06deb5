/* explain.h: explanations name the mistake behind a wrong result. They are inferred from the wrong elements.
 *
 * An explanation is one mistake that a device can make: an index has lost its sign, strides were taken as packed. Each
 * explanation predicts outputs, by changing the inputs or the expected outputs of the case. It holds for a case if the
 * device wrote the predicted outputs, bit for bit. Several explanations may hold for one case; grouping (run/causes.h)
 * chooses the explanation that holds for most cases, and names all that hold for the same cases. A case that passes is
 * not explained.
 *
 * Explanations are the entries of EXPLANATIONS below, and the known mistakes of mistakes/known.h: each of these names
 * one error in the formula of an operator. */
#ifndef TRIAL_EXPLAIN_H
#define TRIAL_EXPLAIN_H

#include "harness/mistakes/known.h"
#include "harness/spec/spec.h"
#include "harness/trial/verdict.h"

/* An entry has an identifier, a name, a sentence, and the ids of the rules that the mistake breaks, separated by
 * spaces. The first of these rules that the operator has counts; if it has none, or the list is "", its first behaviour
 * counts. The most specific explanations come first. Those of OBSERVED say less, and most of them only describe the
 * wrong elements: another explanation that holds wins. */
/* clang-format off */
#define EXPLANATIONS(PREDICTED, OBSERVED) \
    /* an input in the memory of an output */ \
    PREDICTED(IN_PLACE_CLEARED, "in-place-cleared", \
              "the output is cleared before the input that has its memory is read", "in-place") \
    PREDICTED(IN_PLACE_OVERWRITTEN, "in-place-overwritten", \
              "the output is written before the input that has its memory is read", "in-place") \
    /* values */ \
    PREDICTED(MINUS_ZERO_COUNTED, "signed-zero-counted", "-0.0 is taken for a number other than zero", "signed-zero") \
    PREDICTED(MINUS_ZERO_LOST, "signed-zero-lost", "-0.0 becomes 0.0", "exact") \
    PREDICTED(DENORMALS_FLUSHED, "denormals-flushed", "denormals become zero", "denormals exact") \
    PREDICTED(NAN_QUIETED, "nan-quieted", "signalling NaNs become quiet", "nan-payloads exact") \
    PREDICTED(NAN_CANONICAL, "nan-canonical", "every NaN becomes the same NaN", "nan-payloads exact") \
    PREDICTED(NAN_INFINITY, "nan-infinity", "NaNs become infinities", "exact") \
    PREDICTED(INFINITY_LARGEST, "infinity-largest", "infinities become the largest number", "exact") \
    PREDICTED(NAN_MISSED, "nan-missed", "NaNs are taken for zero", "not-a-number") \
    PREDICTED(INFINITY_MISSED, "infinity-missed", "infinities are taken for zero", "not-a-number") \
    PREDICTED(FRACTIONS_MISSED, "fractions-missed", "numbers between -1 and 1 are taken for zero", "count") \
    PREDICTED(NEGATIVE_MISSED, "negative-missed", "negative numbers are taken for zero", "count") \
    PREDICTED(LOW_BYTE_ONLY, "low-byte-only", "only the low byte of a number is compared with zero", "count") \
    PREDICTED(LOWEST_CLIPPED, "lowest-clipped", "the lowest signed integer becomes the next one", "exact") \
    PREDICTED(UNSIGNED_CLIPPED, "unsigned-clipped", "unsigned integers are clipped to the signed range", "exact") \
    PREDICTED(FLOAT_NARROWED, "float-narrowed", "values are rounded to a narrower float", "exact") \
    PREDICTED(INTEGER_AS_FLOAT, "integer-as-float", "integers are rounded to a float", "exact") \
    PREDICTED(HIGH_HALF_LOST, "high-half-lost", "only the low half of 64-bit elements is moved", "exact") \
    PREDICTED(BYTES_SWAPPED, "bytes-swapped", "the bytes or halves of elements change places", "exact") \
    /* numbers */ \
    PREDICTED(OPERANDS_SWAPPED, "operands-swapped", "two operands change places", "") \
    PREDICTED(OPERAND_TWICE, "operand-twice", "an operand is taken for the next one, too", "") \
    PREDICTED(OPTIONAL_IGNORED, "optional-ignored", \
              "what is optional is ignored: a tensor, Scale and Bias, or a fused activation", "") \
    PREDICTED(SIGN_CONFUSED, "sign-confused", "unsigned integers are taken as signed ones, or the reverse", "") \
    PREDICTED(BLOCK_MODULO, "block-modulo", "the block of an element is its coordinate modulo the number of blocks", "") \
    PREDICTED(OUTPUTS_SWAPPED, "outputs-swapped", "two outputs change places", "") \
    PREDICTED(INPUT_AS_ZERO, "input-as-zero", "an input is taken as all zero", "") \
    PREDICTED(INFINITY_NAN, "infinity-nan", "infinite results become NaNs", "") \
    PREDICTED(INFINITY_POSITIVE, "infinity-positive", "infinite results lose their sign", "") \
    PREDICTED(TRUTH_NEGATED, "truth-negated", "a condition gives 1 for 0, and 0 for 1", "") \
    PREDICTED(TRUTH_ONES, "truth-ones", "a condition that holds gives an integer with all bits set", "") \
    PREDICTED(POWERS_OVERFLOW, "powers-overflow", \
              "the greatest element is not subtracted before powers, so that they overflow", "") \
    /* folds of many elements */ \
    PREDICTED(FOLD_MISSED, "fold-missed", \
              "elements of a row are left out: the first, the last, or those at the edges of tiles", "") \
    PREDICTED(FOLD_TWICE, "fold-twice", \
              "elements of a row count twice: the first, the last, or those at the edges of tiles", "") \
    PREDICTED(FOLD_FROM_ZERO, "fold-from-zero", "a product or an extreme begins with 0, as a sum does", "") \
    PREDICTED(FOLD_FROM_LOWEST, "fold-from-lowest", \
              "an extreme begins with the lowest or the largest finite number instead of an infinity", "") \
    PREDICTED(FOLD_FROM_LEAST, "fold-from-least", "an extreme begins with the smallest positive normal number", "") \
    /* indices */ \
    PREDICTED(INDEX_TYPE, "index-type", "indices are read as another integer type", "") \
    PREDICTED(INDEX_LOW_HALF, "index-low-half", "only the low half of 64-bit indices is read", "") \
    PREDICTED(INDEX_WORDS, "index-words", "64-bit indices are read as if they were 32 bits apart", "") \
    PREDICTED(SIGN_IGNORED, "sign-ignored", "the sign of negative indices is ignored", "negative-indices") \
    PREDICTED(NEGATIVE_AS_ZERO, "negative-as-zero", "negative indices are read as 0", "negative-indices") \
    PREDICTED(NEGATIVE_LOST, "negative-lost", "some or all negative indices count as out of range", "negative-indices") \
    PREDICTED(NEGATIVE_BASE, "negative-base", "negative indices do not count from the end of their dimension", \
              "negative-indices") \
    PREDICTED(INDEX_CUT, "index-cut", "indices are cut to 8 or 16 bits", "") \
    PREDICTED(INDEX_ROUNDED, "index-rounded", "indices are rounded to FLOAT16", "") \
    PREDICTED(INDEX_LAST_LOST, "index-last-lost", "the last valid index counts as out of range", "") \
    PREDICTED(INDEX_CLAMPED, "index-clamped", "an index out of range is taken for the nearest valid one", "out-of-range") \
    PREDICTED(INDEX_OUTSIDE_FIRST, "index-outside-first", "an index out of range is taken for the first one, 0", \
              "out-of-range") \
    PREDICTED(INDEX_OUTSIDE_LAST, "index-outside-last", "an index out of range is taken for the last valid one", \
              "out-of-range") \
    PREDICTED(INDEX_WRAPPED, "index-wrapped", "an index out of range counts modulo the size", "out-of-range") \
    PREDICTED(TUPLE_MIXED, "tuple-mixed", "coordinates of an index tuple go to wrong dimensions or are left out", "") \
    /* memory */ \
    PREDICTED(STRIDES_IGNORED, "strides-ignored", "strides are ignored: tensors are taken as packed", "strided") \
    PREDICTED(STRIDE_IGNORED, "stride-ignored", "the stride of one dimension is ignored", "strided") \
    PREDICTED(OFFSET_IGNORED, "offset-ignored", "the offset of a binding is ignored", "") \
    PREDICTED(OFFSET_ROUNDED, "offset-rounded", "the offset of a binding is rounded down", "") \
    PREDICTED(ATTRIBUTE_MISREAD, "attribute-misread", "an attribute is taken for another number or constant", "") \
    PREDICTED(PLACE_CUT, "place-cut", "offsets of elements are cut to 8 or 16 bits", "") \
    PREDICTED(RANK_LIMITED, "rank-limited", "dimensions before the last few are ignored or merged", "") \
    PREDICTED(DIMENSIONS_EXCHANGED, "dimensions-exchanged", "two dimensions of a tensor change places", "") \
    PREDICTED(DIMENSION_REVERSED, "dimension-reversed", \
              "elements of a tensor are in the opposite order along one dimension", "") \
    /* updates */ \
    PREDICTED(UPDATES_ADDED, "updates-added", "updates are added to what they should replace", "") \
    PREDICTED(UPDATES_MISSED, "updates-missed", "updates are left out", "") \
    /* rows */ \
    PREDICTED(ROW_ORDER, "row-order", "the rows or elements are right, their order is not", "order selects") \
    PREDICTED(ROW_TRANSPOSED, "row-transposed", "rows are written as columns", "coordinates") \
    PREDICTED(ROW_DISTANCE, "row-distance", "rows are written at the wrong distance", "coordinates") \
    PREDICTED(ROW_COLUMNS, "row-columns", "rows hold the wrong coordinates of their elements", "coordinates") \
    PREDICTED(ROW_FLAT, "row-flat", "rows or positions are numbers in the whole input", "coordinates selects") \
    PREDICTED(ROW_CUT, "row-cut", "coordinates in rows are cut or rounded", "coordinates") \
    /* selections */ \
    PREDICTED(ORDER_OPPOSITE, "order-opposite", "the order is the opposite one: the least come before the greatest", "selects") \
    PREDICTED(ORDER_KEY, "order-key", "elements are compared without sign, as other integers or as floats", "selects") \
    PREDICTED(EQUAL_MIXED, "equal-mixed", "equal elements have changed places, or have one position", "ties") \
    PREDICTED(PLACE_COLUMNS, "place-columns", "places are counted with the first of several axes fastest", "place") \
    /* state */ \
    PREDICTED(FIRST_DISPATCH, "first-dispatch", "the second dispatch works on contents of the first", "") \
    PREDICTED(OPERATOR_REUSED, "operator-reused", \
              "an operator is used that was compiled for another description, which differs in one part", "") \
    PREDICTED(COUNT_ADDED, "count-added", "the second dispatch continues the count of the first", "count") \
    /* formulas */ \
    PREDICTED(ATTRIBUTE_NEAREST, "attribute-nearest", "attributes are rounded to the nearest integer", "") \
    PREDICTED(ATTRIBUTE_DOWN, "attribute-down", "attributes are rounded down to an integer", "") \
    PREDICTED(ATTRIBUTE_UP, "attribute-up", "attributes are rounded up to an integer", "") \
    PREDICTED(ATTRIBUTE_TRUNCATED, "attribute-truncated", "attributes lose their fraction", "") \
    PREDICTED(ATTRIBUTE_IGNORED, "attribute-ignored", "an attribute is taken for a usual number, such as 0 or 1", "") \
    PREDICTED(ATTRIBUTES_SWAPPED, "attributes-swapped", "two attributes change places", "") \
    PREDICTED(CONDITION_WRONG, "condition-wrong", \
              "a condition of the formula is reversed, ignored, or wrong at its limit", "") \
    PREDICTED(STEP_MISSING, "step-missing", "a term, a factor, a limit or a function of the formula is left out", "") \
    PREDICTED(STEP_ORDER, "step-order", "two steps of the formula change places, such as a sum and a root", "") \
    PREDICTED(STEP_WRONG, "step-wrong", "a step of the formula is another operation, or in another unit", "") \
    PREDICTED(CONSTANT_WRONG, "constant-wrong", "a constant or a number of elements in the formula is another one", "") \
    /* less specific: what the wrong elements look like */ \
    OBSERVED(NOT_WRITTEN, "not-written", "elements are not written: they keep what the output held before", "") \
    OBSERVED(PREVIOUS_MIXED, "previous-mixed", "the result is combined with what the output held before", "") \
    OBSERVED(ZEROS, "zeros", "elements are zero", "") \
    OBSERVED(NANS, "nans", "elements are not numbers", "") \
    OBSERVED(ROWS_TRUNCATED, "rows-truncated", "the last rows are missing", "count") \
    OBSERVED(ROWS_MISSING, "rows-missing", "some elements are not found", "count") \
    OBSERVED(COUNT_WRONG, "count-wrong", "the rows are right, their count is not", "count") \
    OBSERVED(ONE_BIT, "one-bit", "elements differ in one bit, the same in all elements of a case", "exact") \
    OBSERVED(DIMENSION_IGNORED, "dimension-ignored", "coordinates of an input do not count", "") \
    OBSERVED(MISPLACED, "misplaced", "elements of an input are in the wrong places", "")
/* clang-format on */

/* Numbers below KNOWN_MAX are those of known mistakes. */
#define EXPLAIN_IDENTIFIER(identifier, name, sentence, rules) EXPLAIN_##identifier,
enum explanation {
    EXPLAIN_LAST_KNOWN = KNOWN_MAX - 1,
    EXPLANATIONS(EXPLAIN_IDENTIFIER, EXPLAIN_IDENTIFIER) EXPLAIN_COUNT
};
#undef EXPLAIN_IDENTIFIER

/* Returns the name of an explanation, such as "negative-as-zero", null if it explains no result; its sentence for a
 * person; the rules that the list names for it; true if it is among OBSERVED; true if it is a known mistake. */
const char *explanation_name(enum explanation explanation);
const char *explanation_sentence(enum explanation explanation);
const char *explanation_rules(enum explanation explanation);
bool explanation_is_observed(enum explanation explanation);
static inline bool explanation_is_known(enum explanation explanation)
{
    return (int)explanation < KNOWN_MAX;
}

/* Returns the explanation of that name, which is `length` bytes long; EXPLAIN_COUNT if there is none. */
enum explanation explanation_find(const char *name, size_t length);

enum { EXPLANATIONS_SIZE = 512 };

static inline bool explanation_is_in(const explanation_set *set, enum explanation explanation)
{
    return set->words[explanation / 64] >> explanation % 64 & 1;
}

static inline void explanation_add(explanation_set *set, enum explanation explanation)
{
    set->words[explanation / 64] |= (uint64_t)1 << explanation % 64;
}

/* Returns true if the set has an explanation that predicts outputs; true if it is empty. */
bool explanations_predict(const explanation_set *set);
bool explanations_are_none(const explanation_set *set);

/* Takes the explanations from the set that `other` lacks. */
void explanations_intersect(explanation_set *set, const explanation_set *other);

/* Prints the names of the explanations, "a, b": first the cause, then the others, the most specific first; "" for none.
 * Returns `text`. */
const char *explanations_print(const struct diagnosis *diagnosis, char text[EXPLANATIONS_SIZE]);

/* Sets the explanations and the cause from the text of explanations_print(). Unknown names are left out. */
void explanations_parse(const char *text, struct diagnosis *diagnosis);

/* Returns the rule that an explanation breaks in an operator: index in spec->rules, -1: the spec has no behaviour. */
int explanation_rule(const struct spec *spec, enum explanation explanation);

#endif
