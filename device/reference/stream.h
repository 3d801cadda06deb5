/* stream.h: writes past the caches, for tensors that are larger than the caches.
 *
 * A processor that writes to a cache first reads the overwritten line, and evicts lines that it reads later. */
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>

/* Returns true if a tensor of so many bytes is better written past the caches. */
static inline int stream_is_large(uint64_t bytes)
{
    return bytes >= (uint64_t)16 << 20;
}

/* Copies like memcpy(). The memory may be the same, but must not overlap otherwise. */
void stream_copy(void *to, const void *from, uint64_t bytes);

/* Returns true if functions that need wide_has_avx512() can write FLOAT32 elements there past the caches, eight at a
 * time, while they compute other elements. `bytes`: size of the tensor. */
int stream_takes_eights(uint64_t bytes, uint64_t count, const char *to);

/* Ends the copies of a thread: it must be called before another thread reads them. */
void stream_end(void);

#endif
