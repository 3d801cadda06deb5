/* test_pool.c: threads that wait for work. */
#include "device/common/pool.h"
#include "tools/tap.h"

#include <stdatomic.h>
#include <string.h>

enum { ITEMS = 1000, THREADS = 16 };

struct work {
    atomic_uint calls[THREADS]; /* calls by thread */
    atomic_uint next;
    unsigned char done[ITEMS]; /* rounds in which an item was done */
};

static void take_items(void *context, uint32_t number)
{
    struct work *work = context;
    atomic_fetch_add(&work->calls[number], 1);
    for (unsigned i; (i = atomic_fetch_add(&work->next, 1)) < ITEMS;)
        work->done[i]++;
}

/* Tells whether a round calls the function once with each number below `count`, and each item is done once. */
static int works(struct pool *pool, uint32_t count)
{
    static struct work work;
    unsigned char once[ITEMS];
    int right = 1;
    memset(&work, 0, sizeof work);
    memset(once, 1, sizeof once);
    pool_run(pool, count, take_items, &work);
    for (uint32_t i = 0; i < THREADS; i++)
        right = right && work.calls[i] == (i < count);
    return right && !memcmp(work.done, once, sizeof once);
}

int main(void)
{
    static const uint32_t threads[] = {1, 2, 4, THREADS};
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct pool *pool = pool_new(threads[i]);
        int right = pool != NULL;
        for (uint32_t round = 0; right && round < 1000; round++)
            right = works(pool, 1 + round % threads[i]);
        ok(right, "%u threads: a round has each number once, and does each item once", threads[i]);
        pool_free(pool);
    }
    return tap_done();
}
