/* fold.h: reductions, and running sums and products.
 *
 * Real numbers are folded in double and rounded once, integers modulo 2^64 or exactly. */
#ifndef FOLD_H
#define FOLD_H

#include "device/common/descriptor.h"

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
    int last; /* of equal extremes, the last place */
    struct tensor input, output;
    /* Of running sums and products. */
    int runs, exclusive, backward;
    uint32_t axis;
};

/* Whether it is such an operator. */
int fold_computes(DML_OPERATOR_TYPE type);

void fold_init(struct fold *fold, const struct descriptor *descriptor);

/* Pointers are to the tensors' first elements. */
void fold_run(const struct fold *fold, const void *input, void *output);

#endif
