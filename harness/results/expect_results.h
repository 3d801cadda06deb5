/* expect_results.h: reads the results of a run for comparison with an expectation file. */
#ifndef RESULTS_EXPECT_RESULTS_H
#define RESULTS_EXPECT_RESULTS_H

#include "harness/run/expect.h"

/* A stored run, with arrays over the cases of a plan. */
struct expect_run {
    struct pool pool; /* owns the text and the arrays */
    int64_t id;
    unsigned shard, shards;
    struct expect_device device;
    uint32_t *statuses;    /* by case: statuses of all attempts, bit n: enum status n; 0: not in the run */
    const char **messages; /* by case: message of the first failure, else of the last attempt; or "" */
    size_t known;          /* number of cases of the plan that are in the run */
};

/* Reads run `id`, or the last run if `id` is 0. Incomplete results count as not in the run. EXIT_NO_MATCH: no such run;
 * EXIT_HARNESS: the database cannot be read. Free with expect_run_free(), also after an error. */
int expect_run_read(struct expect_run *run, const char *path, int64_t id, const struct plan *plan, struct error *error);
void expect_run_free(struct expect_run *run);

#endif
