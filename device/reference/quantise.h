/* quantise.h: operators between real numbers and small integers: element = round(number / scale) + zero point, and
 * back.
 *
 * Numbers are computed in double; the quotient is rounded to FLOAT32 before it is rounded to an integer. A scale and a
 * zero point may have fewer elements than the input: each serves a block of elements, or all. */
#ifndef QUANTISE_H
#define QUANTISE_H

#include "device/common/descriptor.h"

struct quantise;

/* Computes an element. `in` has the elements of all inputs that belong to it, 0 where a tensor is absent. A null
 * kernel: the operator does not quantise. */
typedef double quantise_kernel(const struct quantise *quantise, const double *in);
quantise_kernel *quantise_kernel_of(DML_OPERATOR_TYPE type);

struct quantise {
    quantise_kernel *kernel;
    uint32_t input_count, output_count;
    struct tensor inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS];
    double least, most; /* limits of the output's type, if it is an integer */
    int is_dynamic;     /* the scale and the zero point are outputs, too */
};

void quantise_init(struct quantise *quantise, const struct descriptor *descriptor);

/* Runs the operator. Pointers are to the tensors' first elements, null for absent ones. */
void quantise_run(const struct quantise *quantise, const void *const *inputs, void *const *outputs);

#endif
