/* store.h: writes results to an SQLite database. reports/schema.sql is the schema, embedded at build time.
 *
 * A database has one writer at a time. Functions that return int return 0, or EXIT_HARNESS with the reason in `error`,
 * unless their comments name another status. After a failed write, all later writes fail. */
#ifndef RESULTS_STORE_H
#define RESULTS_STORE_H

#include "harness/base/error.h"
#include "harness/results/history.h"
#include "harness/run/device_origin.h"
#include "harness/run/record.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

/* The purpose and the filters of a run. A zeroed scope is that of a conformance run of a part of the cases. */
struct store_scope {
    const char *purpose; /* a value of column purpose; null: "conformance" */
    /* As given: words that are quoted for a shell, with spaces between them; tier is one plain word. Null: "". */
    const char *filters, *operators, *levels, *tier, *source;
    bool whole_plan; /* the run has the whole default plan; a shard runs a part of it */
    bool half;       /* the device may compute FLOAT32 in FLOAT16: not as precise as conformance demands */
};

/* A run of cases on one device, as stored in table run. */
struct store_run {
    const char *version; /* of assay */
    uint64_t seed;
    uint64_t planned;        /* number of cases */
    uint64_t plan_hash;      /* the hash of the planned names, in order; runs with equal hashes have the same cases */
    const char *command;     /* the command line */
    const char *device;      /* as given with -d */
    const char *device_name; /* as the device describes itself */
    const char *device_driver;
    const char *device_version;
    const char *feature_level; /* the highest that the device declares: "6_4" */
    unsigned shard, shards;    /* shard 1 of 1 (or 0, 0) is the whole plan */
    bool shared_validation;    /* ASSAY_DEVICE_SHARED_VALIDATION */
    struct store_scope scope;
    const struct origin *origin; /* null: not known */
};

/* Opens a database for writing, or creates it. Fails, with one sentence that names the file, if the folder does not
 * exist, or if the file is not an assay database of this schema version, is read-only, or has another writer. A failed
 * call leaves no new file behind. */
int store_open(const char *path, struct store **out, struct error *error);

/* Commits pending rows, marks an open run as incomplete, and frees the store. Null is allowed and does nothing. The
 * database is then a single file, unless another program reads it or the disk is full: then FILE-wal remains and is
 * part of it, until the next writer merges it. */
int store_close(struct store *store, struct error *error);

/* Begins a call of `assay run` with `runs` planned runs. The runs that begin from now on belong to it. The `words` of
 * its command line are stored for store_resume(). */
int store_begin_invocation(struct store *store, char *const *words, size_t count, unsigned runs, struct error *error);

/* Resumes the last call that has incomplete runs. store_begin_run() then resumes the runs of the call in order, before
 * it begins new ones. It refuses a run that differs from the stored one in plan, seed, shard, device or version, unless
 * `force` is set. Returns the words of the command line; the caller frees each word and the array. If every call is
 * complete, sets `complete`, resumes nothing and returns the words of the last one. EXIT_NO_MATCH: there is no call. */
int store_resume(struct store *store, bool force, char ***words, size_t *count, bool *complete, struct error *error);

/* Returns the id of the first run of the resumed call; 0: the call has no run yet, or the database cannot be read. */
int64_t store_resumed_run(struct store *store);

/* Sets `known` to true if the run already has a result of the case. */
int store_knows(struct store *store, const char *case_name, bool *known, struct error *error);

/* Passes the record of the last attempt at a case, which must have a result, to `each`, and returns the value of
 * `each`.
 *
 *  */
int store_recall(struct store *store, const char *case_name, const char *device,
                 int (*each)(void *context, const struct record *record, struct error *error), void *context,
                 struct error *error);

/* Calls `each` for every result of the device's run before this one, with the time spent in the device's calls. False:
 * the database cannot be read. */
bool store_times(struct store *store, const char *device,
                 void (*each)(void *context, const char *case_name, uint64_t ns), void *context);

/* Deletes the results of the run whose cases are not among `names`. A call that resumes with `force` needs this. */
int store_keep_only(struct store *store, const char *const *names, size_t count, struct error *error);

/* The batch that a worker is running, for `assay status`. */
struct store_running {
    const char *case_name; /* the first case of the batch */
    uint64_t cases;
    double seconds; /* since the batch began */
};

/* Replaces the batches that the workers of the run are running, and commits. */
int store_note_running(struct store *store, const struct store_running *running, unsigned count, struct error *error);

/* Returns the database connection, for tables that do not belong to runs. The store owns it. */
struct sqlite3 *store_database(const struct store *store);

/* Begins a run and returns its id in `run_id`. Results and samples belong to it until another run begins or
 * store_go_on() selects one. EXIT_USAGE: a resumed run differs from the stored one. */
int store_begin_run(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error);

/* A run of one shard, in an open history. */
struct store_shard {
    struct history *history;
    int64_t run;
};

/* Finds the run that store_merge() made of the shards of a run that began and ended then. `run_id` is 0 if the database
 * has none. `shard` is a run of one of them. */
int store_find_merged(struct store *store, const struct history_run *shard, const char *started, const char *ended,
                      int64_t *run_id, struct error *error);

/* Adds one run that combines the runs of `count` (at least 1) shards. The caller has checked that they belong together.
 * On an error nothing is added. */
int store_merge(struct store *store, const struct store_shard *shards, size_t count, struct error *error);

/* Adds a result to the run. If the case already has one, the result becomes its next attempt; the last attempt counts.
 * Rows are committed in batches at least every 250 ms while results come in, and all attempts at a case together.
 * Committed rows survive kill -9. */
int store_add(struct store *store, const struct record *record, struct error *error);

/* The interaction coverage of one operator's planned cases, as stored in table coverage. */
struct store_coverage {
    const char *version; /* of assay */
    uint64_t plan_hash;  /* the hash of all planned cases */
    const char *operator_name;
    int ways;                                        /* 2 or 3 */
    uint64_t covered, missed, undecided, impossible; /* numbers of combinations; reports/schema.sql defines them */
};

/* Adds the figures of one measurement, which belong to no run, and commits. */
int store_add_coverage(struct store *store, const struct store_coverage *rows, size_t count, struct error *error);

/* Adds a timing sample of a case to the run, with the names and times of `record`. `repeat` is 1, 2, …; a case has one
 * sample per repeat. */
int store_add_sample(struct store *store, const struct record *record, unsigned repeat, struct error *error);

/* Adds the speed of a case of the run as a share of a copy's. */
int store_add_share(struct store *store, const struct record *record, double share, struct error *error);

/* Selects a run that was begun and has not ended, for runs that take turns. */
void store_go_on(struct store *store, int64_t run_id);

/* Commits pending rows now, for use before a long wait. */
int store_flush(struct store *store, struct error *error);

/* Stores the text of the device of this run about its clocks and its power state. */
int store_clocks(struct store *store, const char *clocks, struct error *error);

/* Ends the run and commits. `complete`: every planned case has a result. */
int store_end_run(struct store *store, bool complete, struct error *error);

#endif
