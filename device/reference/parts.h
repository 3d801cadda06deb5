/* parts.h: an operator as several operators of the same type, each on a part of the tensors, that can be run at once.
 *
 * A part has some of the places along one dimension. No element of an output needs elements of other parts. */
#ifndef PARTS_H
#define PARTS_H

#include "device/common/descriptor.h"

/* For a tensor that all parts have as a whole. */
enum { PARTS_WHOLE = DESCRIPTOR_MAX_DIMENSIONS };

/* Where an operator is cut. */
struct parts_cut {
    uint32_t size;                                                           /* places; 0: it cannot be cut */
    uint32_t inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS]; /* the dimension of each tensor */
};

/* Cuts where `count` parts can be as large as each other, or else where there are most places. */
void parts_cut(const struct descriptor *descriptor, uint32_t count, struct parts_cut *cut);

/* One of `count` parts. */
struct parts_part {
    struct descriptor descriptor;
    uint64_t inputs[DESCRIPTOR_MAX_INPUTS], outputs[DESCRIPTOR_MAX_OUTPUTS]; /* bytes of the tensors before it */
};

void parts_take(const struct descriptor *descriptor, const struct parts_cut *cut, uint32_t number, uint32_t count,
                struct parts_part *part);

#endif
