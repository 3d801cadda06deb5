/* test_threads.c: threads that wait for work. */
#include "device/common/threads.h"
#include "tools/tap.h"

#include <stdatomic.h>
#include <string.h>

enum { ITEMS = 1000 };

struct work {
    atomic_uint calls, next;
    unsigned char done[ITEMS]; /* how often */
};

static void take_items(void *argument)
{
    struct work *work = argument;
    atomic_fetch_add(&work->calls, 1);
    for (unsigned i; (i = atomic_fetch_add(&work->next, 1)) < ITEMS;)
        work->done[i]++;
}

/* Whether `rounds` rounds called the function in `count` threads and did each item once. */
static int works(struct threads *threads, unsigned rounds, unsigned count)
{
    int right = 1;
    for (unsigned round = 0; round < rounds; round++) {
        static struct work work;
        unsigned char once[ITEMS];
        memset(&work, 0, sizeof work);
        memset(once, 1, sizeof once);
        threads_run(threads, take_items, &work);
        right = right && work.calls == count && !memcmp(work.done, once, sizeof once);
    }
    return right;
}

int main(void)
{
    ok(works(NULL, 3, 1), "without threads, the caller does all of the work");
    static const unsigned counts[] = {0, 1, 3, 15};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct threads *threads = threads_create(counts[i]);
        ok(threads && works(threads, 1000, counts[i] + 1), "%u threads and the caller: each item is done once",
           counts[i]);
        threads_destroy(threads);
    }
    return tap_done();
}
