/* session.h: runs a plan on a device, with the records of its cases passed to the formats and the database. It joins
 * run/, which decides about each case, with what this floor keeps: names of devices, times, causes, conformance. The
 * caller prints about the run in the hooks. */
#ifndef RESULTS_SESSION_H
#define RESULTS_SESSION_H

#include "harness/results/reporters.h"
#include "harness/results/store.h"
#include "harness/run/runner.h"

struct session_config {
    struct runner_config runner; /* session_run() sets its callbacks, `finished`, `order` and `half` */
    struct reporters *reporters;
    struct store *store;        /* null: no database */
    const char *database;       /* its path; "" if there is none */
    const char *command;        /* the command line, for the store */
    const char *expect_sources; /* names of the files of runner.expect, to be printed; null or "": none */
    uint64_t plan_hash;         /* the hash of the plan before it was divided into shards, for the store */
    bool resumed;               /* the store continues an earlier invocation */
    unsigned shard, shards;     /* the shard that the plan is; 0, 0: the plan is no shard */
    const struct plan *whole;   /* the plan that the shard is a part of */
    uint64_t shuffle;           /* seed of the order of execution; 0: plan order */
    struct store_scope scope;   /* for the store */
    struct origin_given origin; /* for the store and the formats */

    /* Hooks; null: not wanted. They are called with the last record of each case; when a case takes longer than
     * runner.slow_ms; regularly, with the cases that the workers are running; and when all cases have ended, before the
     * formats get the totals. */
    void (*seen)(void *seen_context, const struct record *record);
    void *seen_context;
    void (*slow)(const char *device, const struct runner_now *now);
    void (*watch)(const char *device, uint64_t done, uint64_t planned, const struct runner_now *now, unsigned count);
    void (*ended)(const struct session_config *config, const struct runner_total *total);
};

/* Runs all cases of the plan on runner.device. Returns 0 whatever the cases' statuses, or the exit status of an error
 * that ended the run. */
int session_run(const struct session_config *config, struct runner_total *total, struct error *error);

#endif
