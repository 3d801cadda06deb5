/* overlap.h: whether elements of a strided tensor share memory. */
#ifndef OVERLAP_H
#define OVERLAP_H

#include <stdint.h>

/* Whether two coordinates have the same offset: 1 yes, 0 no, -1 out of memory.
 *
 * `rank` is at most DESCRIPTOR_MAX_DIMENSIONS, sizes are at least 1, and all offsets must be below 2^32 - 1. Exact,
 * with one bound: while the largest stride exceeds the highest offset that the other dimensions reach, its dimension
 * is taken away. If what is left has more than 2^22 coordinates without its largest dimension, the answer is 1. At
 * most 32 MiB are used, for a tensor with that many; none where nothing is left, as in padded and transposed
 * layouts. */
int overlap_check(uint32_t rank, const uint32_t *sizes, const uint32_t *strides);

#endif
