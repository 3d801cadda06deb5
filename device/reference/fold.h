/* fold.h: reductions, and running sums and products.
 *
 * Real numbers are folded in double and rounded once, integers modulo 2^64 or exactly. */
#ifndef FOLD_H
#define FOLD_H

#include "device/reference/loops.h"

enum fold_function {
    FOLD_ARGMAX, /* in the order of DML_REDUCE_FUNCTION */
    FOLD_ARGMIN,
    FOLD_AVERAGE,
    FOLD_L1,
    FOLD_L2,
    FOLD_LOG_SUM,
    FOLD_LOG_SUM_EXP,
    FOLD_MAX,
    FOLD_MIN,
    FOLD_MULTIPLY,
    FOLD_SUM,
    FOLD_SUM_SQUARE
};

struct fold {
    enum fold_function function;
    int last; /* among equal extremes, the last coordinate counts */
    struct tensor input, output;
    int runs, exclusive;               /* the operator computes running sums or products */
    struct loops kept, folded;         /* loops over results or rows; loops over the elements of one */
    int64_t first_input, first_output; /* bytes to the first element; if backward, to the last one */
    int across;                        /* the results lie nearer to each other than the elements of one result */
};

/* Returns true if the operator is a reduction or a running sum or product. */
int fold_computes(DML_OPERATOR_TYPE type);

void fold_init(struct fold *fold, const struct descriptor *descriptor);

/* Runs the fold. Pointers are to the tensors' first elements. */
void fold_run(const struct fold *fold, const void *input, void *output);

#endif
