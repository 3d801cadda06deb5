/* folding_memo.h: folds that have been evaluated, by the place that they are of. Where places along some dimensions
 * have the same fold, as the elements of a row that is divided by its sum, it is evaluated once; and so is a fold that
 * others ask for at places of their own. */
#ifndef FORMULA_FOLDING_MEMO_H
#define FORMULA_FOLDING_MEMO_H

#include "harness/formula/evaluate.h"

struct memo {
    bool prepared, usable;
    uint32_t dims, sizes[OPDESC_MAX_DIMENSIONS]; /* of the output; 1 where the coordinate does not matter */
    struct memo_entry *entries;                  /* by place */
};

struct memo_entry {
    enum { MEMO_UNKNOWN, MEMO_LEAN, MEMO_WHOLE } known; /* lean: only the value and the count */
    bool changed;                                       /* an element was changed by how the elements are read */
    struct formula_fold fold;
};

/* `matters`: bit n: the fold depends on the coordinate in dimension n of the output. `asked`: other folds ask for it.
 * Unusable if it is not asked for and no two places share a fold, or if memory is short. */
void memo_prepare(struct memo *memo, const uint32_t *sizes, uint32_t dims, uint32_t matters, bool asked);
void memo_free(struct memo *memo);

/* Where the fold of a place is kept. */
struct memo_entry *memo_at(struct memo *memo, const uint32_t *place);

#endif
