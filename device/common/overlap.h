/* overlap.h: finds out whether elements of a strided tensor share memory. */
#ifndef OVERLAP_H
#define OVERLAP_H

#include <stdint.h>

/* Tells whether two coordinates have the same offset: 1 yes, 0 no, -1 out of memory.
 *
 * `rank` is at most DESCRIPTOR_MAX_DIMENSIONS, sizes are at least 1, and all offsets must be below 2^32 - 1. The answer
 * is exact, with one bound: while the largest stride exceeds the highest offset that the other dimensions reach, its
 * dimension is taken away. If the remaining dimensions have more than 2^22 coordinates without the largest one, the
 * answer is 1. A tensor with that many coordinates takes at most 32 MiB; padded and transposed layouts, of which no
 * dimension remains, take none. */
int overlap_check(uint32_t rank, const uint32_t *sizes, const uint32_t *strides);

#endif
