/* nonzero.h: NONZERO_COORDINATES.
 *
 * Elements are scanned in row-major order of their logical coordinates, whatever the strides. An element is zero if all
 * of its bits are 0, except the sign of a float: NaNs, infinities and denormals are not zero. Rows of coordinates from
 * the count on are not written. */
#ifndef NONZERO_H
#define NONZERO_H

#include "device/common/descriptor.h"

struct nonzero_loop {
    uint64_t size, stride; /* stride in bytes */
};

struct nonzero {
    uint32_t width; /* bytes of an element */
    uint32_t mask;  /* bits of an element that make it nonzero */
    uint32_t rank;
    uint32_t sizes[DESCRIPTOR_MAX_DIMENSIONS];

    /* The input as runs of evenly spaced elements, and the loops around a run, innermost first. */
    struct nonzero_loop run, outer[DESCRIPTOR_MAX_DIMENSIONS];
    uint32_t outer_count;

    uint32_t columns;                   /* the last coordinates, which a row of the output has */
    uint64_t row_stride, column_stride; /* strides of the output in bytes */
};

void nonzero_init(struct nonzero *nonzero, const struct descriptor *descriptor);

/* Runs the operator. Pointers are to the tensors' first elements. */
void nonzero_run(const struct nonzero *nonzero, const void *input, void *count, void *coordinates);

#endif
