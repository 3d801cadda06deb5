/* plan.h: the cases, made by the strategies in cases/ from the specs. cases/README.md tells how to write a strategy. */
#ifndef CASE_PLAN_H
#define CASE_PLAN_H

#include "harness/spec/load.h"
#include "harness/case/testcase.h"

struct plan {
    struct testcase *cases; /* in order of strategy file, operator, and emission */
    size_t count, capacity;
    struct pool pool;
    void *mapping; /* a file that they lean on, mapped; null: none */
    size_t mapping_size;
};

/* Which cases are wanted. Within one list any may match; all lists that are not empty must. */
struct plan_filter {
    const char **patterns; /* globs on names, or names of subtrees: "gather_nd", "gather_nd.indices", "*.fl3_0.*" */
    size_t pattern_count;
    const char **operators; /* as spec_set_find() takes them */
    size_t operator_count;
    const char **levels; /* "3_0" */
    size_t level_count;
    const char *tier;  /* of strategies: "large", "all"; null: those of no tier, which are run as a matter of course */
    const char *cache; /* what plan_cache_write() has written, read where it is what would be planned; null: nothing */
};

/* Runs every *.lua in `folder` on every operator, reads the cases of every *.json (or of the one file that `folder` is),
 * and keeps what the filter lets through; what it cannot let through is not
 * looked at, nor are errors in it. Errors: of a file, EXIT_HARNESS
 * with file and line; an operator, level or tier that does not exist, EXIT_USAGE with the nearest; nothing matched,
 * EXIT_NO_MATCH naming the pattern. */
int plan_make(struct plan *plan, const struct spec_set *specs, const char *folder, const struct plan_filter *filter,
              struct error *error);
void plan_free(struct plan *plan);

/* Writes the plan of all cases of all tiers to `path`, for plan_make() by this same program with the same specs and the same
 * contents of `folder`; for any other it is as if it were not there. EXIT_HARNESS: it cannot be written. */
int plan_cache_write(const struct plan *plan, const struct spec_set *specs, const char *folder, const char *path,
                     struct error *error);

/* Whether a pattern matches a name. */
bool plan_matches(const char *pattern, const char *name);

/* Whether it can match a name that is `start`, or continues it with a dot. */
bool plan_may_match(const char *pattern, const char *start);

/* Of the names, in order. */
uint64_t plan_hash(const struct plan *plan);

/* The cases of one shard of `shards`, counted from 1: which one a case is in depends on its name alone. They lean on the
 * plan; free `cases`. Null there: no memory. */
struct plan plan_shard(const struct plan *plan, unsigned shard, unsigned shards);

/* The places of all cases in an order that `seed` decides. Freed by the caller; null: no memory. */
uint32_t *plan_shuffled(const struct plan *plan, uint64_t seed);

/* The seed of a case in a run. */
uint64_t plan_case_seed(uint64_t run_seed, const char *name);

#endif
