/* quantise.h: operators between real numbers and small integers: element = round(number / scale) + zero point, and
 * back.
 *
 * Numbers are computed in double; what is rounded to an integer is rounded to FLOAT32 first. A scale and a zero point
 * may have fewer elements than the input: each serves a block of elements, or all. */
#ifndef QUANTISE_H
#define QUANTISE_H

#include "device/common/descriptor.h"

struct quantise;

/* Null: not such an operator. `in` has the elements of all inputs that belong to one element of the output, 0 where a
 * tensor is absent. */
typedef double quantise_kernel(const struct quantise *quantise, const double *in);
quantise_kernel *quantise_kernel_of(DML_OPERATOR_TYPE type);

struct quantise {
    quantise_kernel *kernel;
    uint32_t input_count, output_count;
    struct tensor inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS];
    double least, most; /* of the output's type, if it is an integer */
    int is_dynamic;     /* the scale and the zero point are outputs, too */
};

void quantise_init(struct quantise *quantise, const struct descriptor *descriptor);

/* Pointers are to the tensors' first elements, null for absent ones. */
void quantise_run(const struct quantise *quantise, const void *const *inputs, void *const *outputs);

#endif
