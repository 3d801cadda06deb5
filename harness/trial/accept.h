/* accept.h: judges one output element by the element's formula in a spec, and lists the right values.
 *
 * The formula's value is the exact result. A device may miss it by the tolerance: an element beyond the soft bound gets
 * a warning, an element beyond the must bound fails. The correctly rounded result is always right. If the condition of
 * a behaviour holds, its alternatives are right, too, or every value is. A value that is right only for operands whose
 * denormals are zeros gets a warning.
 *
 * With DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION, a device may compute FLOAT32 results in FLOAT16. Then a
 * value is right, too, if it is within the tolerance of FLOAT16, of the operands as they are or rounded to FLOAT16.
 * That holds only for inexact arithmetic: copies, conversions and all other exact results stay exact. */
#ifndef TRIAL_ACCEPT_H
#define TRIAL_ACCEPT_H

#include "harness/formula/formula_image.h"
#include "harness/spec/result.h"

enum acceptance {
    ACCEPT_RIGHT,
    ACCEPT_SOFT, /* between the soft and the must bound, or right only by a soft alternative */
    ACCEPT_WRONG
};

/* The operands of the formulas of one element: integers if the output and all inputs of the operator are integers or
 * bit patterns, otherwise real numbers. */
struct accept_operands {
    unsigned type; /* the output's DML_TENSOR_DATA_TYPE */
    bool whole;    /* the operands are in `integers` */
    bool half;     /* the device may compute FLOAT32 results in FLOAT16 */
    struct formula_reals reals;
    struct formula_integers integers;
    bool flushed, halved; /* the folds read the elements of inputs so: folding_reading */
    /* Computes the folds of `reals` again from elements that are read as `flushed` and `halved` say. Returns true if an
     * element read so differs from the one before. Null: there are no folds. */
    bool (*refold)(void *context, struct accept_operands *of);
    /* Sets the operands that only choices need. Null: all operands are set. */
    void (*complete)(void *context, struct accept_operands *of);
    void *folds;
};

/* The distance of an element from the exact result. */
struct accept_error {
    /* Both are for FLOAT16 where the device may compute in it. */
    double ulps;  /* in ULP of the output's type; for an integer output in units */
    double share; /* part of the must bound: above 1, the element fails; infinite: no bound; 0: correctly rounded */
};

struct accept_verdict {
    enum acceptance acceptance;
    const char *outcome; /* the alternative that the element equals, or the name of an overflow; otherwise "" */
    int rule;            /* the behaviour with that alternative; -1: none */
    struct accept_error error;
    bool measured; /* `error` is set: the exact result is a finite number, and the element equals no alternative */
};

/* Judges the element whose bits are `got`. An element that is right by the formula never counts as an alternative. */
void accept_element(const struct spec_result *result, const struct accept_operands *of, uint64_t got,
                    struct accept_verdict *out);

/* Returns true if the documents leave the element open: every value is right, or a choice applies. */
bool accept_is_open(const struct spec_result *result, const struct accept_operands *of);

/* Returns true if the condition of the choice holds for the element. */
bool accept_is_about(const struct spec_choice *choice, const struct accept_operands *of);

/* Returns true if `got` is no further from `predicted` than a device may miss a result of that size. Both are bits. */
bool accept_is_near(const struct spec_result *result, const struct accept_operands *of, uint64_t predicted,
                    uint64_t got);

/* The numbers from `low` to `high`, both as bits of a type. Two NaNs stand for every NaN. A zero stands for both
 * zeros. */
struct accept_range {
    uint64_t low, high;
};

/* The values that accept_element() does not call wrong, as ascending ranges without common elements; the range of the
 * NaNs comes last. Operands with `half` are not allowed: exported programs have no execution flags. */
enum {
    ACCEPT_PIECE_RANGES = 6, /* the ranges of one piece of a formula, before they are joined */
    ACCEPT_MAX_RANGES =
        3 * (1 + RESULT_MAX_CHOICES * (1 + RESULT_MAX_ALTERNATIVES)) * FORMULA_MAX_PIECES * ACCEPT_PIECE_RANGES
};
struct accept_ranges {
    unsigned type; /* the type of the ranges: the output's; if its elements count as bit patterns, unsigned integers */
    int count;
    struct accept_range list[ACCEPT_MAX_RANGES + 1];
};

void accept_ranges(const struct spec_result *result, const struct accept_operands *of, struct accept_ranges *out);

/* Sets the bits of the exact result, correctly rounded, as a perfect device returns it. Returns false if every value is
 * right. */
bool accept_expected(const struct spec_result *result, const struct accept_operands *of, uint64_t *bits);

/* Does the same for the value of one formula, such as an alternative of a choice. */
bool accept_rounded(const struct formula *formula, const struct accept_operands *of, uint64_t *bits);

#endif
