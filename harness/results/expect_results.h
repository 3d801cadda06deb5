/* expect_results.h: reads stored results for comparison with an expectation file. */
#ifndef RESULTS_EXPECT_RESULTS_H
#define RESULTS_EXPECT_RESULTS_H

#include "harness/run/expect.h"

/* A finding of the search that ended a run. */
struct expect_finding {
    const char *name; /* as a line of an expectation file names it */
    const char *message;
    uint32_t status; /* bit n: enum status n */
};

/* The results of a device, with arrays over the cases of a plan. */
struct expect_run {
    struct pool pool; /* owns the text and the arrays */
    int64_t id;
    unsigned shard, shards;
    struct expect_device device;
    uint32_t *statuses;    /* by case: statuses of all attempts, bit n: enum status n; 0: not known */
    const char **messages; /* by case: message of the first failure, else of the last attempt; or "" */
    const char **rules;    /* by case: the rule that it tests; "" */
    const char **causes;   /* by case: the cause, as in column cause; "" */
    const char **broken;   /* by case: the rule that it breaks; "" */
    size_t known;          /* number of cases of the plan that have results */
    const char **others;   /* "operator.strategy" of cases that the plan lacks and that have results, too */
    size_t other_count;
    struct expect_finding *findings; /* failures alone */
    size_t finding_count;
};

enum { EXPECT_RUNS_MAX = 64 };
struct expect_runs {
    struct expect_run items[EXPECT_RUNS_MAX];
    size_t count;
};

/* Reads run `id` alone; or, if `id` is 0, the state (history_state()) of each device of the last `assay run` that tests
 * conformance. Incomplete results are not read. EXIT_NO_MATCH: no such run; EXIT_HARNESS: the database cannot be read.
 * Free with expect_runs_free(), also after an error. */
int expect_runs_read(struct expect_runs *runs, const char *path, int64_t id, const struct plan *plan,
                     struct error *error);
void expect_runs_free(struct expect_runs *runs);

/* Returns the rule that a case breaks; "": none. */
const char *expect_run_broken(const struct expect_run *run, size_t index);

/* Returns true if case `index` ended as the line says that decides it. `line` null: no line decides the case, and it
 * must not have failed. */
bool expect_run_fits(const struct expect_run *run, size_t index, const struct expect_line *line);

#endif
