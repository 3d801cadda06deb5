/* parts.h: divides an operator into several operators of the same type, each on a part of the tensors, that can run at
 * once.
 *
 * A part has some of the indices along one dimension. No element of an output needs elements of other parts. */
#ifndef PARTS_H
#define PARTS_H

#include "device/common/descriptor.h"

/* The dimension of a tensor that all parts share as a whole. */
enum { PARTS_WHOLE = DESCRIPTOR_MAX_DIMENSIONS };

/* The dimension along which an operator is cut. */
struct parts_cut {
    uint32_t size; /* elements along the dimension; 0: the operator cannot be cut */
    /* The number of the dimension in each tensor. */
    uint32_t inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS];
};

/* Chooses a cut into `count` parts of equal size, or else along the largest dimension. */
void parts_cut(const struct descriptor *descriptor, uint32_t count, struct parts_cut *cut);

/* One of `count` parts. */
struct parts_part {
    struct descriptor descriptor;
    uint64_t inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS]; /* bytes of the tensors before the part */
};

void parts_take(const struct descriptor *descriptor, const struct parts_cut *cut, uint32_t number, uint32_t count,
                struct parts_part *part);

#endif
