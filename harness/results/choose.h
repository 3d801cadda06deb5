/* choose.h: the cases of a plan to run, by their results in a database. */
#ifndef RESULTS_CHOOSE_H
#define RESULTS_CHOOSE_H

#include "harness/plan/plan.h"

/* The choice of the cases of a plan to run, by their results in a database. With neither `failed` nor `fresh`: all. */
struct choose_wanted {
    const char *database;
    bool failed;            /* cases that fail in the device's current state or that its last run did not reach */
    bool failed_first;      /* cases that fail in that state come before the others */
    bool fresh;             /* cases that no conformance run has run yet, on any device */
    int64_t before;         /* ignore runs from this number on; 0: ignore none */
    unsigned shard, shards; /* the shard of these cases to run; 0, 0: all cases */
};

/* Stores the wanted cases as the plan `chosen`, whose strings belong to `plan`; the caller frees chosen->cases if it is
 * not plan->cases. `hash` is that of all wanted cases, and `all` their number, before they are divided into shards. If
 * `*seed` is 0 and `failed` is set, it becomes the seed of the newest run that verdicts on them come from.
 * EXIT_NO_MATCH: `failed` alone, and the device has no run. */
int choose_wanted_cases(const struct choose_wanted *wanted, const struct plan *plan, const char *device,
                        struct plan *chosen, uint64_t *hash, size_t *all, uint64_t *seed, struct error *error);

#endif
