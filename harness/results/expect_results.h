/* expect_results.h: reads the results of a run for comparison with an expectation file. */
#ifndef RESULTS_EXPECT_RESULTS_H
#define RESULTS_EXPECT_RESULTS_H

#include "harness/run/expect.h"

/* A stored run, with arrays over the cases of a plan. */
struct expect_run {
    struct pool pool; /* owns the text and the arrays */
    int64_t id;
    unsigned shard, shards;
    bool alone_in_section; /* new lines are for this device only: its `assay run` had others, too */
    struct expect_device device;
    uint32_t *statuses;    /* by case: statuses of all attempts, bit n: enum status n; 0: not in the run */
    const char **messages; /* by case: message of the first failure, else of the last attempt; or "" */
    const char **rules;    /* by case: the rule that it tests; "" */
    const char **causes;   /* by case: what is wrong, as column cause has it; "" */
    uint32_t *before;      /* by case: as `statuses`, in the previous run of the device; null: there is none */
    int64_t before_id;     /* of that run; 0: none */
    size_t known;          /* number of cases of the plan that are in the run */
};

/* Finds the runs to read: run `id`, or those of the last `assay run` if `id` is 0, in order. EXIT_NO_MATCH: none. */
enum { EXPECT_RUNS_MAX = 64 };
int expect_run_list(const char *path, int64_t id, int64_t ids[EXPECT_RUNS_MAX], int *count, struct error *error);

/* Reads run `id`, or the last run if `id` is 0. Incomplete results count as not in the run. EXIT_NO_MATCH: no such run;
 * EXIT_HARNESS: the database cannot be read. Free with expect_run_free(), also after an error. */
int expect_run_read(struct expect_run *run, const char *path, int64_t id, const struct plan *plan, struct error *error);

/* Whether case `index` ended as the line says that decides it; null: no line does, and it must not have failed. */
bool expect_run_fits(const struct expect_run *run, size_t index, const struct expect_line *line);
void expect_run_free(struct expect_run *run);

#endif
