/* folding.h: evaluates the folds of a result (spec/result.h): for one element of the output at a time, loops in C over
 * the elements of the inputs that take part. */
#ifndef FORMULA_FOLDING_H
#define FORMULA_FOLDING_H

#include "harness/formula/evaluate.h"
#include "harness/spec/spec.h"

struct folding;

#define FOLDING_LONGEST INT64_C(0x100000000)

/* The way in which a device may read the elements. */
struct folding_reading {
    bool flushed; /* denormals are read as zeros */
    bool halved;  /* FLOAT32 is rounded to FLOAT16 */
    bool half;    /* FLOAT32 loses the numbers that are denormal in FLOAT16 */
};

/* A mistake that a device may make in all of its folds, or formulas. */
struct folding_slip {
    enum folding_slip_kind {
        SLIP_FIRST_MISSED,
        SLIP_LAST_MISSED,  /* in rows of more than `tile` elements */
        SLIP_EDGES_MISSED, /* the last element of each tile */
        SLIP_FIRST_TWICE,
        SLIP_LAST_TWICE,
        SLIP_EDGES_TWICE, /* the first element of each tile but the first */
        SLIP_FROM_ZERO,   /* products and extremes have a 0 to begin with */
        SLIP_FROM_LEAST,  /* extremes have the smallest normal FLOAT32 to begin with */
        SLIP_FROM_LOWEST, /* extremes have the lowest finite number to begin with, of minima the largest */
        SLIP_TAIL_MISSED, /* the elements after the last full tile */
        SLIP_REST_MISSED, /* the elements after the first tile */
        SLIP_IN_FLOAT,    /* integers are computed in FLOAT32; of folds only what they are for */
        SLIP_LAST_KEPT,   /* each element of a sum replaces those before */
        SLIP_IN_HALF,     /* sums of FLOAT16 elements are rounded to FLOAT16 after each element */
        SLIP_COLUMNS,     /* the first dimension of a step changes fastest */
        SLIP_PLACES,      /* places are counted like that, too */
        SLIP_TIES_OTHER,  /* of equal elements the last is found instead of the first, and the reverse */
        SLIP_BLOCKS, /* a smaller tensor is read at coordinates modulo its sizes, not by blocks; folds as they are */
        SLIP_ORDER   /* no mistake: sums are those of `order` */
    } kind;
    int64_t tile; /* number of elements of a tile */
    struct folding_order *order;
};

/* The terms of the sums that are being made; a term may itself depend on a sum. `sum` returns the sum of terms in the
 * order and with the rounding errors of a device. It may change the terms. */
struct folding_order {
    double (*sum)(double *terms, int64_t count);
    double *terms;
    int64_t count, capacity;
    bool lacks_memory;
};

/* Prepares the folds `among` (bit n: fold n) of a result for a legal description. `tensors` are by item; `reals` has
 * the attributes. Folds in a branch that the description never takes are not evaluated as real numbers. Returns null
 * if memory runs out. */
struct folding *folding_new(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result,
                            int output, const uint8_t *const tensors[], const struct formula_reals *reals,
                            uint32_t among);
void folding_free(struct folding *folding);

/* Gets each element that a fold reads: its item, and its offset in elements. */
struct folding_witness {
    void (*read)(void *context, int item, int64_t offset);
    void *context;
};

/* Makes all folds report what they read, and read each element again that they need. `witness` lives as long as
 * `folding`. Call this before any fold is evaluated. */
void folding_set_witness(struct folding *folding, const struct folding_witness *witness);

/* Makes all folds have the slip. Call this before any fold is evaluated. */
void folding_set_slip(struct folding *folding, const struct folding_slip *slip);

/* Returns the number of steps of the result's longest fold, up to FOLDING_LONGEST. It is above 1 if there is a fold
 * that is no sum. A slip changes no fold of a result with 1: sums of one step stay as they are. */
int64_t folding_longest(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result);

/* Returns the folds that the result's own formula needs: bit n is fold n. */
uint32_t folding_needed(const struct spec_result *result);

/* Returns these and the folds that they ask for at other places. */
uint32_t folding_evaluated(const struct spec_result *result);

/* Returns these folds and all that they name, directly or not, but for those in a branch that the description never
 * takes. */
uint32_t folding_named_by(const struct spec_result *result, uint32_t folds, const struct formula_reals *reals);

/* The folds to evaluate: those that the result's own formula needs, only their values and counts; those that it and the
 * tolerance need; all others; all. */
enum folding_extent { FOLDING_VALUE, FOLDING_NEAR, FOLDING_REST, FOLDING_ALL };

/* Set the folds of the element at the coordinates `place`; its other operands must be set. folding_reals() returns true
 * if `reading` changed an element. */
bool folding_reals(struct folding *folding, const uint32_t *place, enum folding_extent extent,
                   const struct folding_reading *reading, struct formula_reals *reals);

/* Sets only the folds `folds`. */
bool folding_some(struct folding *folding, const uint32_t *place, uint32_t folds, bool lean,
                  const struct folding_reading *reading, struct formula_reals *reals);
void folding_integers(struct folding *folding, const uint32_t *place, struct formula_integers *integers);

#endif
