/* pool.h: memory that is freed all at once, for loaded specs and plans. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed pool is empty. */
struct pool {
    struct pool_block *blocks;
    char *shared; /* of pool_share(): all of the pool's memory; else null */
    size_t shared_used, shared_size;
};

/* Gives an empty pool `size` bytes, and no more, that it shares with processes forked from now on: what they add to
 * their copy of the pool lies at the same addresses in this process. False: out of memory. */
bool pool_share(struct pool *pool, size_t size);

/* Whether `size` bytes at `at` lie in the memory of such a pool, aligned to `alignment`. */
bool pool_holds(const struct pool *pool, const void *at, size_t size, size_t alignment);

/* Whether a text with its end lies there. */
bool pool_holds_text(const struct pool *pool, const char *text);

/* Zeroed memory, aligned for any type. Never null: if memory runs out, the process ends with a message and
 * EXIT_HARNESS. */
void *pool_alloc(struct pool *pool, size_t size);

/* Copies in the pool, as pool_alloc() allocates; pool_format() formats as printf() does. */
void *pool_copy(struct pool *pool, const void *from, size_t size);
char *pool_string(struct pool *pool, const char *text);
char *pool_format(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Frees everything; the pool is empty and usable again. */
void pool_clear(struct pool *pool);

#endif
