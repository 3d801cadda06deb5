/* plan.h: the list of test cases, which the strategies in cases/ make from the specs. cases/README.md says how to write
 * a strategy. */
#ifndef CASE_PLAN_H
#define CASE_PLAN_H

#include "harness/base/words.h"
#include "harness/load/load.h"
#include "harness/case/testcase.h"

struct plan {
    struct testcase *cases; /* in order of strategy file, operator, and request */
    size_t count, capacity;
    size_t wrong;                 /* cases of case files that are wrong */
    bool is_kept;                 /* they were read from the filter's cache */
    uint64_t hash;                /* of plan_hash(), 0: not known */
    struct plan_reading *reading; /* null: all cases are there; otherwise only those that plan_await() has read */
    struct pool pool;
};

struct caselist;

/* The choice of cases: the wanted ones match some entry of every list that is not empty, and no excluded pattern. */
struct plan_filter {
    const char **patterns; /* globs on names, or names of subtrees: "gather_nd", "gather_nd.indices", "*.fl3_0.*" */
    size_t pattern_count;
    bool may_miss;         /* patterns that no case matches are no error */
    const char **excluded; /* patterns of cases that are not wanted */
    size_t excluded_count;
    const struct caselist *list; /* more patterns, and patterns of cases that are not wanted; null: none */
    const char **operators;      /* as spec_set_find() takes them */
    size_t operator_count;
    const char **levels; /* "3_0" */
    size_t level_count;
    const char *tier;              /* "large", …, or "all"; null: only strategies without a tier */
    const struct word_list *allow; /* values of --allow: what else than the files beside it a case file may name */
    const char *cache; /* path that plan_cache_write() wrote; read if it is valid, ignored if not; null: none */
    bool later;        /* cases may be left to plan_await(), if all are wanted and the cache has them */
};

/* The names of strategies with their tiers, in the order in which they run: written by a process that plans a share of
 * the operators, for the process that puts the shares together. */
struct plan_order {
    size_t count;
    char keys[256][96]; /* "STRATEGY TIER" */
};

/* The sources of the cases. */
struct plan_sources {
    const char *const *paths; /* folders, strategies, case files, or "-" for `input`, in order */
    size_t count;
    char *input; /* the text of a case file */
    size_t input_size;
    bool keep_going; /* wrong cases of case files are counted in the plan; otherwise they are an error */
    /* The plan has these cases, and those of operators that this version does not know, as cases that cannot be run
     * (struct unread); otherwise it lacks them. */
    bool unread;
    /* Called for each wrong case of a case file, with a line about it: if there is more than one, or with `keep_going`.
     * Called for the first case of each operator that is not known. Null is allowed. */
    void (*wrong)(const char *text);
    /* Only every `shares`-th operator is planned, from operator number `share` on; 0 shares: all are. */
    unsigned share, shares;
    struct plan_order *order; /* null is allowed */
};

/* Does the same as plan_make(), with several sources. */
int plan_make_from(struct plan *plan, const struct spec_set *specs, const struct plan_sources *sources,
                   const struct plan_filter *filter, struct error *error);

/* Does the same for files that may be a stranger's: reads the filter's cache, or plans in a child process with limits
 * (apart.h), which loads the specs of `specs_folder` anew if strategies run. The plan of the child is checked against
 * `specs`. */
int plan_make_apart(struct plan *plan, const struct spec_set *specs, const char *specs_folder,
                    const struct plan_sources *sources, const struct plan_filter *filter, struct error *error);

/* Runs every *.lua in `folder` on every operator, reads the cases of every *.json, and keeps the cases that the filter
 * wants. `folder` may also be one such file. Unwanted cases are not solved, so errors in them are not found.
 * EXIT_HARNESS: a file is wrong; with file and line. EXIT_USAGE: no operator, level or tier has the name in the filter;
 * with the nearest name. EXIT_NO_MATCH: a pattern matches no case, or there are no cases. */
int plan_make(struct plan *plan, const struct spec_set *specs, const char *folder, const struct plan_filter *filter,
              struct error *error);

/* Moves the cases that have a tier from `more`, a plan of the same specs, to a plan without cases of a tier. Frees the
 * rest of `more`. */
void plan_add_tiers(struct plan *plan, struct plan *more);

/* Frees the memory of a plan. A zeroed plan is allowed. */
void plan_free(struct plan *plan);

/* Writes a plan, which must have all cases of all tiers, to `path` as a cache for plan_make(). The cache is valid for
 * this build of the program, these specs and these contents of `folder` only. EXIT_HARNESS: it cannot be written. */
int plan_cache_write(const struct plan *plan, const struct spec_set *specs, const char *folder, const char *path,
                     struct error *error);

/* Returns true if a pattern (see struct plan_filter) matches a name. */
bool plan_matches(const char *pattern, const char *name);

/* Finds the name of a case, or its front with as many pieces as the pattern, that is nearest to a pattern without
 * matches; "" if none is near. Keeps a ".*" at the end. */
void plan_nearest(const struct plan *plan, const char *pattern, char *near, size_t size);

/* Returns true if a pattern can match a name that is `start` or continues it with a dot. */
bool plan_may_match(const char *pattern, const char *start);

/* Reads the cases that the plan is to have later, up to the first `count`: from then on these may be used. With the
 * number of all cases it reads the rest in several threads. False: a case is damaged, although the hash of the file is
 * right, and neither it nor a later one may be used. */
bool plan_await(const struct plan *plan, size_t count);

/* Sets the error of plan_await(). Returns EXIT_HARNESS. */
int plan_damaged(struct error *error);

/* Returns the operator of a case, which need not have been read. */
const struct spec *plan_spec(const struct plan *plan, size_t index);

/* Returns a hash of the names of the cases, in order. All must have been read, unless all were wanted. */
uint64_t plan_hash(const struct plan *plan);

/* Returns the cases of one of `shards` shards, counted from 1. The shard of a case depends on its name only. The cases
 * point into `plan`, which must outlive them; the caller frees `cases` alone, which is null if memory runs out. */
struct plan plan_shard(const struct plan *plan, unsigned shard, unsigned shards);

/* Returns the indices of all cases, shuffled by `seed`. The caller frees them; null: out of memory. */
uint32_t *plan_shuffled(const struct plan *plan, uint64_t seed);

/* Returns the seed of a case in a run: a function of the run's seed and the case's name. */
uint64_t plan_case_seed(uint64_t run_seed, const char *name);

#endif
