/* pool.h: threads that wait for work. */
#ifndef POOL_H
#define POOL_H

#include <stdint.h>

struct pool;

/* Does the share of the work that belongs to the thread with this number. */
typedef void pool_work(void *context, uint32_t number);

/* Makes a pool. `threads`: at least 1, with the caller of pool_run(). Returns null if there are no more threads, or no
 * memory. */
struct pool *pool_new(uint32_t threads);

/* Ends the threads and frees the pool, which may be null. */
void pool_free(struct pool *pool);

/* Runs `work` with the numbers 0 to `count` - 1, each in a thread of its own. `count` is at most the number of threads.
 * Returns when all are done. */
void pool_run(struct pool *pool, uint32_t count, pool_work *work, void *context);

#endif
