/* pool.h: memory that is freed all at once, for loaded specs and plans. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

/* A zeroed pool is empty. */
struct pool {
    struct pool_block *blocks;
};

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
