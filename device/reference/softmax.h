/* softmax.h: SOFTMAX, LOG_SOFTMAX and HARDMAX of each slice of the input.
 *
 * Real numbers are computed in double and rounded once. */
#ifndef SOFTMAX_H
#define SOFTMAX_H

#include "device/reference/loops.h"

struct softmax {
    enum descriptor_softmax result;
    struct tensor input, output;
    struct loops slices, within; /* loops over slices, and loops within one */
    uint64_t length;             /* elements of a slice */
};

/* Returns true if the operator is SOFTMAX or a relative. */
int softmax_computes(DML_OPERATOR_TYPE type);

void softmax_init(struct softmax *softmax, const struct descriptor *descriptor);

/* Runs the operator. Pointers are to the tensors' first elements. */
void softmax_run(const struct softmax *softmax, const void *input, void *output);

#endif
