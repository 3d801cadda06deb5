/* folding_internal.h: the shared parts of folding.h: folding_prepare.c makes a `struct folding`, folding_loops.c adds
 * elements to a fold, folding.c evaluates a fold at a place. */
#ifndef FORMULA_FOLDING_INTERNAL_H
#define FORMULA_FOLDING_INTERNAL_H

#include "harness/formula/evaluate.h"
#include "harness/formula/folding_sum.h"
#include "harness/formula/folding.h"
#include "harness/formula/folding_division.h"
#include "harness/formula/folding_elsewhere.h"
#include "harness/formula/folding_gather.h"
#include "harness/formula/folding_memo.h"

enum { D = OPDESC_MAX_DIMENSIONS, READINGS = 16 /* number of keys in find_entry() */ };

/* An input of a fold. Its coordinates are origin + by_place * place + by_step * step + by_found * found, where
 * `found` are the coordinates that a division or a gathering finds. */
struct source {
    int item;
    const struct opdesc_tensor *tensor;
    const uint8_t *memory;
    unsigned type, width;
    bool looked, has_denormals; /* `looked`: the elements were searched for denormals */
    int64_t strides[D], origin[D], by_place[D][D], by_step[D][D], by_found[D][D];
    int64_t start[D], at[D]; /* coordinates of the first step; of the step with the innermost loop at 0 */
    int64_t offset, stride;  /* offset and stride of the elements of the innermost loop */
};

/* A fold that grows by one element from place to place along a dimension. A mark has the sum every FOLDING_STRIDE
 * elements, so that a long row needs no loop over all of its elements for each place. */
struct growth {
    bool is_there;
    uint32_t along;           /* the dimension of the output */
    int input;                /* the dimension of the input */
    int64_t direction, count; /* direction of the step; elements of a whole row */
    uint64_t lanes, per_lane; /* number of rows; number of marks in a row */
    struct folding_sum *marks;
    bool *built; /* for each row: its marks are built */
    /* The sums from one mark to the next, since a caller asks for elements in order, forwards or backwards. */
    struct folding_sum *block; /* FOLDING_STRIDE of them */
    uint64_t block_mark;       /* number of the block's mark; UINT64_MAX: none */
    bool block_lean;
};

struct one_fold {
    const struct spec_fold *fold;
    bool usable, plain; /* plain: the formula is the element of the only input */
    bool relays;        /* the formula is the fold of another place */
    bool reads;         /* the fold is a sum of one step, which no slip misses or adds twice */
    bool multiplies;    /* the formula is the product of the elements of the two inputs */
    bool last;
    uint32_t place_dims, step_dims, loop_count;
    int64_t loop_sizes[D];
    uint32_t loops[D]; /* dimensions of the step with a size above 1; the innermost last */
    uint32_t output_sizes[D];
    int source_count;
    struct source sources[FOLD_MAX_TENSORS];
    struct growth growth;
    bool gathers;               /* fold->found is an EXPR_GATHERED */
    uint32_t found_dims;        /* number of coordinates that it finds */
    struct division division;   /* set if fold->found is an EXPR_DIVIDED */
    struct gathering gathering; /* set if it is an EXPR_GATHERED */
    struct elsewhere others[FORMULA_MAX_OTHERS];
    uint32_t names;      /* bit n: the formula names fold n, of the same place */
    uint32_t matters;    /* bit n: the fold depends on the place's coordinate in dimension n */
    bool has_attributes; /* the fold depends on attributes, which a device may round to FLOAT16 */
    bool recurs;         /* the fold reads earlier elements of the tensor that is computed */
    bool asked;          /* other folds ask for it at places of their own */
    struct memo memos[READINGS];
};

struct folding {
    int count;
    const struct folding_slip *slip;       /* null: no slip */
    const struct folding_witness *witness; /* null: none */
    uint32_t wanted[FOLDING_ALL + 1];      /* by extent; bit n: fold n */
    struct one_fold folds[]; /* the folds of the result: each is large, and most results have one or two */
};

/* The sum that a loop adds to, and the operands of its formula. */
struct adding {
    struct folding *folding;
    struct one_fold *f;
    int64_t starts[FORMULA_MAX_OTHERS][D]; /* the coordinates that the first step leads to */
    struct folding_sum *sum;
    struct formula_reals *reals;           /* null: integers */
    struct formula_integers *integers;     /* null: real numbers */
    const struct folding_reading *reading; /* null: it changes no element of this fold */
    const struct folding_reading *asked;   /* the reading that the caller asks for */
    bool lean, changed;
};

/* Returns true if an input may have elements that the reading changes. */
bool folding_is_changed(struct source *source, const struct folding_reading *reading);

/* Folds the elements at a place into adding->sum. */
void folding_run(struct adding *adding, const uint32_t *place);

/* Evaluate a fold at another place than that of the formula that asks for it, and all folds that it names. The result
 * may be in `room`. */
const struct formula_fold *folding_real_elsewhere(struct folding *folding, int number, const uint32_t *place, bool lean,
                                                  const struct folding_reading *reading, struct formula_reals *reals,
                                                  struct formula_fold *room, bool *changed);
void folding_whole_elsewhere(struct folding *folding, int number, const uint32_t *place,
                             struct formula_integers *integers, struct formula_whole_fold *out);

#endif
