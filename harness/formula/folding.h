/* folding.h: evaluates the folds of a result (spec/result.h): for one element of the output at a time, loops in C over
 * the elements of the inputs that take part. */
#ifndef FORMULA_FOLDING_H
#define FORMULA_FOLDING_H

#include "harness/formula/evaluate.h"
#include "harness/spec/spec.h"

struct folding;

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
        SLIP_TAIL_MISSED, /* the elements after the last full tile */
        SLIP_REST_MISSED, /* the elements after the first tile */
        SLIP_IN_FLOAT,    /* integers are computed in FLOAT32; of folds only what they are for */
        SLIP_LAST_KEPT,   /* each element of a sum replaces those before */
        SLIP_IN_HALF,     /* sums of FLOAT16 elements are rounded to FLOAT16 after each element */
        SLIP_COLUMNS,     /* the first dimension of a step changes fastest */
        SLIP_PLACES,      /* places are counted like that, too */
        SLIP_TIES_OTHER   /* of equal elements the last is found instead of the first, and the reverse */
    } kind;
    int64_t tile; /* number of elements of a tile */
};

/* Prepares the folds of a result for a legal description. `tensors` are by item. Returns null if memory runs out. */
struct folding *folding_new(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result,
                            int output, const uint8_t *const tensors[]);
void folding_free(struct folding *folding);

/* Makes all folds have the slip. Call this before any fold is evaluated. */
void folding_set_slip(struct folding *folding, const struct folding_slip *slip);

/* Returns the folds that the result's own formula needs: bit n is fold n. */
uint32_t folding_needed(const struct spec_result *result);

/* The folds to evaluate: those that the result's own formula needs, only their values and counts; those that it and the
 * tolerance need; all others; all. */
enum folding_extent { FOLDING_VALUE, FOLDING_NEAR, FOLDING_REST, FOLDING_ALL };

/* Set the folds of the element at the coordinates `place`; its other operands must be set. folding_reals() returns true
 * if `reading` changed an element. */
bool folding_reals(struct folding *folding, const uint32_t *place, enum folding_extent extent,
                   const struct folding_reading *reading, struct formula_reals *reals);
void folding_integers(struct folding *folding, const uint32_t *place, struct formula_integers *integers);

#endif
