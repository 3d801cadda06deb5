/* computed_blocks.h: computes and judges large packed outputs of element-wise formulas in blocks; for computed.c and
 * computed_judge.c. The results are those of the element-by-element walk, which takes some ten times as long. */
#ifndef TRIAL_COMPUTED_BLOCKS_H
#define TRIAL_COMPUTED_BLOCKS_H

#include "harness/formula/evaluate_blocks.h"
#include "harness/trial/computed_internal.h"

/* The elements of one block of an output, and the formulas that are evaluated for them. */
struct walk_blocks {
    const struct walk *walk;
    uint64_t first; /* the number of the block's first element */
    int count;      /* elements of the block */
    double elements[OPDESC_MAX_TENSORS][BLOCK_ELEMENTS];
    const double *inputs[OPDESC_MAX_TENSORS]; /* the same, by item */
    struct formula_blocks *value, *soft, *must;
};

/* Prepares blocks of the walk's output; `judges`: with the tolerances. Returns null if the walk has to go element by
 * element: the output is short or computed in integers, tensors are not packed or are of different sizes, the formulas
 * need folds or places, a slip or a liberty is taken, or memory runs out. */
struct walk_blocks *walk_blocks_open(const struct walk *w, bool judges);
void walk_blocks_close(struct walk_blocks *b);

/* Computes the whole output. */
void walk_blocks_run(struct walk_blocks *b, uint8_t *output);

/* Goes to the block from element `first` on, and returns the exact results. */
const double *walk_blocks_go_to(struct walk_blocks *b, uint64_t first);

#endif
