/* pool.h: memory that is freed all at once, for loaded specs and plans. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed pool is empty. */
struct pool {
    struct pool_block *blocks;
    char *shared; /* of pool_share() and pool_map(): all of the pool's memory; else null */
    size_t shared_used, shared_size;
};

/* Gives an empty pool `size` bytes, and no more, that it shares with processes forked from now on: what they add to
 * their copy of the pool lies at the same addresses in this process. False: out of memory. */
bool pool_share(struct pool *pool, size_t size);

/* Such a pool can be kept in a file, with all pointers within it, if it lies at the address where the first shared
 * pool of any process lies. pool_can_be_kept() says whether it does. pool_map() gives an empty pool the `used` bytes
 * at `offset`, a multiple of the page size, of a file, in private memory at that address, and `room` bytes more;
 * false: something else lies there, or the file is shorter. */
bool pool_can_be_kept(const struct pool *pool);
bool pool_map(struct pool *pool, int fd, size_t offset, size_t used, size_t room);

/* Maps the pages of such a pool all at once: one by one, they would cost as much as to read them. */
void pool_populate(const struct pool *pool);

/* Whether processes that are forked from now on have the memory of such a pool: to give it to them takes as long as to
 * map it. */
void pool_inherit(const struct pool *pool, bool inherited);

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

/* Moves all that is in `more`, which becomes empty, to `pool`. Neither is shared. */
void pool_join(struct pool *pool, struct pool *more);

/* Frees everything; the pool is empty and usable again. */
void pool_clear(struct pool *pool);

#endif
