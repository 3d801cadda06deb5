/* accept.h: which values of one output element are right, where a spec gives the element's formula.
 *
 * The formula's value is the exact result. A device may miss it by the tolerance: beyond the soft bound it gets a
 * warning, beyond the must bound it fails. The result that is correctly rounded is always right. Where the condition
 * of a behaviour holds, alternatives are right, too, or everything is. What is right for operands whose denormals are
 * zeros gets a warning.
 *
 * With DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION, a device may compute FLOAT32 results in FLOAT16. Then what
 * is right in FLOAT16 is right, too: within the tolerance of FLOAT16, of the operands as they are or rounded to
 * FLOAT16. That is only for arithmetic that may be missed: copies, conversions and whatever else is exact stay so. */
#ifndef TRIAL_ACCEPT_H
#define TRIAL_ACCEPT_H

#include "harness/formula/evaluate.h"
#include "harness/spec/result.h"

enum acceptance {
    ACCEPT_RIGHT,
    ACCEPT_SOFT, /* between the soft and the must bound, or right only by a soft alternative */
    ACCEPT_WRONG
};

/* What the formulas of one element see: integers if the output and all inputs of the operator are integers or bit
 * patterns, otherwise real numbers. */
struct accept_operands {
    unsigned type; /* of the output: its DML_TENSOR_DATA_TYPE */
    bool whole;    /* use `integers` */
    bool half;     /* the device may compute in FLOAT16 what is FLOAT32 */
    struct formula_reals reals;
    struct formula_integers integers;
    bool flushed, halved; /* how folds take the elements of inputs: folding_reading */
    /* Sets the folds of `reals` anew, as `flushed` and `halved` say. Whether an element differs for it. Null: there are
     * no folds. */
    bool (*refold)(void *context, struct accept_operands *of);
    /* Sets what only choices need of them. Null: it is there. */
    void (*complete)(void *context, struct accept_operands *of);
    void *folds;
};

/* How far an element is from the exact result. */
struct accept_error {
    double ulps;  /* in ULP of the output's type; of an integer output: in units */
    double share; /* of the must bound: above 1, it fails; infinite where there is none. 0 if correctly rounded */
                  /* both in FLOAT16 where the device may compute in that */
};

struct accept_verdict {
    enum acceptance acceptance;
    const char *outcome; /* the alternative that the element is, or what an integer overflow became; otherwise "" */
    int rule;            /* the behaviour that has that alternative; -1: none */
    struct accept_error error;
    bool measured; /* `error` is set: the exact result is a finite number, and the element is no alternative */
};

/* Judges the element whose bits are `got`. An element that is right by the formula is no alternative. */
void accept_element(const struct spec_result *result, const struct accept_operands *of, uint64_t got,
                    struct accept_verdict *out);

/* Whether the element is one that the choice is about. */
bool accept_is_about(const struct spec_choice *choice, const struct accept_operands *of);

/* Whether `got` is no further from `predicted` than a device may miss a result of that size. Both are bits. */
bool accept_is_near(const struct spec_result *result, const struct accept_operands *of, uint64_t predicted,
                    uint64_t got);

/* Numbers from `low` to `high`, both as bits of a type. Both are NaNs: every NaN. A zero stands for both zeros. */
struct accept_range {
    uint64_t low, high;
};

/* The values that accept_element() does not call wrong, as ascending ranges without common elements; that of the NaNs
 * comes last. Not for operands with `half`: exported programs have no execution flags. */
enum {
    ACCEPT_PIECE_RANGES = 6, /* of one piece of a formula, before they are joined */
    ACCEPT_MAX_RANGES =
        2 * (1 + RESULT_MAX_CHOICES * (1 + RESULT_MAX_ALTERNATIVES)) * FORMULA_MAX_PIECES * ACCEPT_PIECE_RANGES
};
struct accept_ranges {
    unsigned type; /* of the ranges: the output's; if its elements count as bit patterns, unsigned integers */
    int count;
    struct accept_range list[ACCEPT_MAX_RANGES + 1];
};

void accept_ranges(const struct spec_result *result, const struct accept_operands *of, struct accept_ranges *out);

/* The bits of the exact result, correctly rounded: what a perfect device returns. False: every value is right. */
bool accept_expected(const struct spec_result *result, const struct accept_operands *of, uint64_t *bits);

#endif
