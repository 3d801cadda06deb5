/* pool.h: memory that is freed all at once, for loaded specs and plans. */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* A zeroed pool is empty. */
struct pool {
    struct pool_block *blocks;
    char *shared; /* for pool_share() and pool_map(): all of the pool's memory; otherwise null */
    size_t shared_used, shared_size;
};

/* Gives an empty pool exactly `size` bytes, which it shares with processes forked from now on: additions to their copy
 * of the pool lie at the same addresses in this process. Returns false if memory runs out. */
bool pool_share(struct pool *pool, size_t size);

/* A shared pool can be kept in a file, with all pointers within it, if it lies at the address of the first shared pool
 * of any process. pool_can_be_kept() returns true if it does. pool_map() gives an empty pool the `used` bytes at
 * `offset`, a multiple of the page size, of a file, in private memory, and `room` bytes more; it returns false if the
 * file is shorter. The memory lies at that address, or elsewhere if other memory lies there: a library may map the
 * file that its program has mapped. pool_rebase() then corrects the pointers to the pool in `size` bytes at `words`:
 * it takes each aligned word for a pointer that is an address of the file's pool; no other word of specs is one. */
bool pool_can_be_kept(const struct pool *pool);
bool pool_map(struct pool *pool, int fd, size_t offset, size_t used, size_t room);
void pool_rebase(const struct pool *pool, void *words, size_t size);

/* Maps all pages of such a pool at once: mapping them one by one would cost as much as reading them. */
void pool_populate(const struct pool *pool);

/* Lets processes that are forked from now on inherit the memory of such a pool if `inherited`: handing it on takes as
 * long as mapping it. */
void pool_inherit(const struct pool *pool, bool inherited);

/* Returns true if `size` bytes at `at` lie in the memory of such a pool, aligned to `alignment`. */
bool pool_holds(const struct pool *pool, const void *at, size_t size, size_t alignment);

/* Returns true if a text and its end lie in the memory of such a pool. */
bool pool_holds_text(const struct pool *pool, const char *text);

/* Returns zeroed memory, aligned for any type. Never null: if memory runs out, the process ends with a message and
 * EXIT_HARNESS. */
void *pool_alloc(struct pool *pool, size_t size);

/* Return copies in the pool, in memory of pool_alloc(); pool_format() formats as printf() does. */
void *pool_copy(struct pool *pool, const void *from, size_t size);
char *pool_string(struct pool *pool, const char *text);
char *pool_format(struct pool *pool, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Moves all memory of `more`, which becomes empty, to `pool`. Neither is shared. */
void pool_join(struct pool *pool, struct pool *more);

/* Frees everything; the pool is empty and usable again. */
void pool_clear(struct pool *pool);

#endif
