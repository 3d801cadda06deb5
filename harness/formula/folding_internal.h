/* folding_internal.h: what the parts of folding.h share: folding_prepare.c makes a `struct folding`, folding_loops.c
 * adds elements to a fold, folding.c says what a fold is at a place. */
#ifndef FORMULA_FOLDING_INTERNAL_H
#define FORMULA_FOLDING_INTERNAL_H

#include "harness/formula/evaluate.h"
#include "harness/formula/folding_sum.h"
#include "harness/formula/folding.h"
#include "harness/formula/folding_division.h"
#include "harness/formula/folding_elsewhere.h"
#include "harness/formula/folding_memo.h"

enum { D = OPDESC_MAX_DIMENSIONS, READINGS = 16 /* ways to read the elements: see find_entry() */ };

/* An input of a fold. Its coordinates are origin + by_place * place + by_step * step + by_quotient * what a division
 * gives. */
struct source {
    int item;
    const struct opdesc_tensor *tensor;
    const uint8_t *memory;
    unsigned type, width;
    bool looked, has_denormals; /* `looked`: for denormals */
    int64_t strides[D], origin[D], by_place[D][D], by_step[D][D], by_quotient[D][D];
    int64_t start[D], at[D]; /* at the place; at the step with the innermost loop at 0 */
    int64_t offset, stride;  /* of the elements of the innermost loop */
};

/* A fold that grows by one element from place to place along a dimension: every STRIDE elements, what it is there. So
 * long rows need no loop over all of their elements for each. */
struct growth {
    bool is_there;
    uint32_t along;           /* the dimension of the output */
    int input;                /* and of the input */
    int64_t direction, count; /* of the step; elements of a whole row */
    uint64_t lanes, per_lane; /* rows, and marks of each */
    struct folding_sum *marks;
    bool *built; /* by row */
    /* What it is from one mark to the next, since elements are asked for in order, forwards or backwards. */
    struct folding_sum *block; /* FOLDING_STRIDE of them */
    uint64_t block_mark;       /* the number of its mark; UINT64_MAX: none */
    bool block_lean;
};

struct one_fold {
    const struct spec_fold *fold;
    bool usable, plain; /* plain: the formula is the element of the only input */
    bool relays;        /* the formula is the fold of another place */
    bool last;
    uint32_t place_dims, step_dims, loop_count;
    int64_t loop_sizes[D];
    uint32_t loops[D]; /* dimensions of the step with a size above 1; the innermost last */
    uint32_t output_sizes[D];
    int source_count;
    struct source sources[FOLD_MAX_TENSORS];
    struct growth growth;
    struct division division; /* if fold->divided says so */
    struct elsewhere others[FORMULA_MAX_OTHERS];
    uint32_t names;      /* bit n: its formula names fold n, of the same place */
    uint32_t matters;    /* bit n: the fold depends on the place's coordinate in dimension n */
    bool has_attributes; /* it depends on some, which a device may round to FLOAT16 */
    bool asked;          /* other folds ask for it at places of their own */
    struct memo memos[READINGS];
};

struct folding {
    int count;
    const struct folding_slip *slip;  /* null: none */
    uint32_t wanted[FOLDING_ALL + 1]; /* by extent; bit n: fold n */
    struct one_fold folds[];          /* those of the result: each is large, and most results have one or two */
};

/* What a loop adds to, and what its formula sees. */
struct adding {
    struct folding *folding;
    struct one_fold *f;
    int64_t starts[FORMULA_MAX_OTHERS][D]; /* where the first step leads to */
    struct folding_sum *sum;
    struct formula_reals *reals;           /* null: integers */
    struct formula_integers *integers;     /* null: real numbers */
    const struct folding_reading *reading; /* null: it changes no element of this fold */
    const struct folding_reading *asked;   /* what the caller wants */
    bool lean, changed;
};

/* Whether an input may have elements that the reading changes. */
bool folding_is_changed(struct source *source, const struct folding_reading *reading);

/* Folds the elements at a place into adding->sum. */
void folding_run(struct adding *adding, const uint32_t *place);

/* Evaluate a fold of another place than the formula that asks for it, and all that it names. The result may be in
 * `room`. */
const struct formula_fold *folding_real_elsewhere(struct folding *folding, int number, const uint32_t *place, bool lean,
                                                  const struct folding_reading *reading, struct formula_reals *reals,
                                                  struct formula_fold *room, bool *changed);
void folding_whole_elsewhere(struct folding *folding, int number, const uint32_t *place,
                             struct formula_integers *integers, struct formula_whole_fold *out);

#endif
