/* pool.h: threads that wait for work. */
#ifndef POOL_H
#define POOL_H

#include <stdint.h>

struct pool;

/* Work for the thread with this number. */
typedef void pool_work(void *context, uint32_t number);

/* `threads`: at least 1, with the caller of pool_run(). Null: there are no more threads, or no memory. */
struct pool *pool_new(uint32_t threads);

/* Ends the threads. The pool may be null. */
void pool_free(struct pool *pool);

/* Runs `work` with the numbers 0 to `count` - 1, of which there are at most as many as threads, each in one of them.
 * Returns when all are done. */
void pool_run(struct pool *pool, uint32_t count, pool_work *work, void *context);

#endif
