/* folding_memo.h: keeps evaluated folds by their place. If places along some dimensions share a fold, such as the
 * elements of a row that is divided by its sum, the fold is evaluated once. The same holds for a fold that other folds
 * ask for at places of their own. */
#ifndef FORMULA_FOLDING_MEMO_H
#define FORMULA_FOLDING_MEMO_H

#include "harness/formula/evaluate.h"

struct memo {
    bool prepared, usable;
    uint32_t dims,
        sizes[OPDESC_MAX_DIMENSIONS]; /* those of the output; a size is 1 if its coordinate does not matter */
    struct memo_entry *entries;       /* by number of the place */
};

struct memo_entry {
    enum { MEMO_UNKNOWN, MEMO_LEAN, MEMO_WHOLE } known; /* lean: only the value and the count */
    bool changed;                                       /* the reading changed an element */
    struct formula_fold fold;
};

/* Prepares the memo. Bit n of `matters` means that the fold depends on the coordinate in dimension n of the output;
 * `asked` means that other folds ask for it. The memo is unusable if it is not asked for and no two places share a
 * fold, or if memory is short. */
void memo_prepare(struct memo *memo, const uint32_t *sizes, uint32_t dims, uint32_t matters, bool asked);
void memo_free(struct memo *memo);

/* Returns the entry of a place. */
struct memo_entry *memo_at(struct memo *memo, const uint32_t *place);

#endif
