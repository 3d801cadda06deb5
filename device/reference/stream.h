/* stream.h: writes past the caches, for tensors that are larger than those.
 *
 * A processor that writes to a cache reads first what is overwritten, and what it reads later is no longer there. */
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

/* Whether a tensor of so many bytes is better written past the caches. */
static inline int stream_is_large(uint64_t bytes)
{
    return bytes >= (uint64_t)16 << 20;
}

/* What memcpy() does. The memory may be the same, but not overlap otherwise. */
void stream_copy(void *to, const void *from, uint64_t bytes);

/* Whether functions that need wide_has_avx512() can write elements of FLOAT32 there past the caches, eight at a time:
 * others are computed while they go to memory. `bytes`: of the tensor. */
int stream_takes_eights(uint64_t bytes, uint64_t count, const char *to);

/* After all copies of a thread, before another thread reads them. */
void stream_end(void);

#endif
