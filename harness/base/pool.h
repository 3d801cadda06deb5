/* pool.h: memory that lives and dies together: what a loaded spec or a plan is made of. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>

struct pool {
    struct pool_block *blocks;
};

/* Zeroed, aligned for any type; never null: running out of memory ends the process with a sentence. */
void *pool_alloc(struct pool *pool, size_t size);
void *pool_copy(struct pool *pool, const void *from, size_t size);
char *pool_string(struct pool *pool, const char *text);
char *pool_format(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Frees everything; the pool is empty and usable again. */
void pool_clear(struct pool *pool);

#endif
