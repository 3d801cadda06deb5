/* expect_results.h: how each case of a plan ended in a run that is in a database. */
#ifndef RESULTS_EXPECT_RESULTS_H
#define RESULTS_EXPECT_RESULTS_H

#include "harness/run/expect.h"

struct expect_run {
    struct pool pool;
    int64_t id;
    unsigned shard, shards;
    struct expect_device device;
    uint32_t *statuses;    /* by case of the plan: of all attempts, bit n: enum status n; 0: not in the run */
    const char **messages; /* likewise: of a failure, else of the last attempt; "" */
    size_t known;          /* cases of the plan that are in the run */
};

/* Reads run `id`, 0: the last one. EXIT_NO_MATCH: no such run; EXIT_HARNESS: no
 * assay database. */
int expect_run_read(struct expect_run *run, const char *path, int64_t id, const struct plan *plan, struct error *error);
void expect_run_free(struct expect_run *run);

#endif
