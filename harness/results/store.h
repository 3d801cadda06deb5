/* store.h: results in SQLite. One writer; the schema is reports/schema.sql, embedded at build time. */
#ifndef RESULTS_STORE_H
#define RESULTS_STORE_H

#include "harness/base/error.h"
#include "harness/results/history.h"
#include "harness/run/record.h"

#include <stdbool.h>
#include <stdint.h>

struct store;

/* A run of cases on one device, as stored in table run. */
struct store_run {
    const char *version; /* of assay */
    uint64_t seed;
    uint64_t planned;        /* cases */
    uint64_t plan_hash;      /* of the planned names, in order: two runs are comparable row for row if equal */
    const char *command;     /* the command line */
    const char *device;      /* as given with -d */
    const char *device_name; /* as the device describes itself */
    const char *device_driver;
    const char *device_version;
    const char *feature_level; /* highest declared: "6_4" */
    unsigned shard, shards;    /* 1, 1: the whole plan */
};

/* Opens or makes a database for writing. A file that is there and is not an assay database of this schema version, is
 * read-only, locked by another writer, or in a folder that is not there: EXIT_HARNESS with one sentence naming the
 * file. A new file is not left behind when opening fails. */
int store_open(const char *path, struct store **out, struct error *error);

/* Commits what is pending, leaves one file behind, and frees. Null: nothing. While somebody else reads the database, or
 * where the disk is full, FILE-wal stays beside it and belongs to it; the next writer folds it in. */
int store_close(struct store *store, struct error *error);

/* Begins a call of `assay run` that is to have `runs` runs: those that begin from now on. `words` are kept for
 * store_resume(). */
int store_begin_invocation(struct store *store, char *const *words, size_t count, unsigned runs, struct error *error);

/* Goes on with the last invocation of which not every run is complete: store_begin_run() then takes up its runs one after
 * the other, before it begins new ones, and refuses what differs in plan, seed, device or version from what there is,
 * unless `force` says to take it as it is. Gives the words, to be freed with each of them. EXIT_NO_MATCH: all are
 * complete. */
int store_resume(struct store *store, bool force, char ***words, size_t *count, struct error *error);

/* The number of the first run of the invocation that is resumed; 0: it has none yet. */
int64_t store_resumed_run(struct store *store);

/* Whether an earlier part of the run has made all attempts at a case; and the record of the last one, to `each`. */
int store_knows(struct store *store, const char *case_name, bool *known, struct error *error);
int store_recall(struct store *store, const char *case_name, const char *device,
                 int (*each)(void *context, const struct record *record, struct error *error), void *context,
                 struct error *error);

/* How long the device's calls took for each case, one after the other, in its last run before this one that has any. False:
 * that could not be read. */
bool store_times(struct store *store, const char *device,
                 void (*each)(void *context, const char *case_name, uint64_t ns), void *context);

/* After force: forgets the results of the run that are not for one of `names`. */
int store_keep_only(struct store *store, const char *const *names, size_t count, struct error *error);

/* What a worker is at, for those who look on. */
struct store_running {
    const char *case_name;
    uint64_t cases;
    double seconds;
};
int store_note_running(struct store *store, const struct store_running *running, unsigned count, struct error *error);

/* The database itself, for tables that are no matter of runs. */
struct sqlite3 *store_database(const struct store *store);

/* Begins a run; its id is in `run_id`. What follows belongs to it, until another begins or is gone on with. */
int store_begin_run(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error);

/* A run of a shard, in a database that is open. */
struct store_shard {
    struct history *history;
    int64_t run;
};

/* Adds the run that shards, of which there is at least one, are parts of; they have been found to fit. All or nothing. */
int store_merge(struct store *store, const struct store_shard *shards, size_t count, struct error *error);

/* Adds one result to the run. A case that has one already gets another attempt: the last one counts. Rows are committed in
 * batches, at least every 250 ms of adding, all attempts at a case together; what is committed survives kill -9. */
int store_add(struct store *store, const struct record *record, struct error *error);

/* The interaction coverage of one operator's planned cases, as stored in table coverage. */
struct store_coverage {
    const char *version; /* of assay */
    uint64_t plan_hash;  /* of all cases that were planned */
    const char *operator_name;
    int ways; /* 2 or 3 */
    uint64_t covered, missed, undecided, impossible;
};

/* Adds the figures of one measurement; they belong to no run. */
int store_add_coverage(struct store *store, const struct store_coverage *rows, size_t count, struct error *error);

/* Adds a timing sample of a case to the run: its names and times of `record`; `repeat` from 1 on, each once. */
int store_add_sample(struct store *store, const struct record *record, unsigned repeat, struct error *error);

/* Goes on with a run that was begun and has not ended: for runs that take turns. */
void store_go_on(struct store *store, int64_t run_id);

/* Commits what is pending, now: before waiting long for the next result. */
int store_flush(struct store *store, struct error *error);

/* Ends the run: `complete` if every planned case has its row. */
int store_end_run(struct store *store, bool complete, struct error *error);

#endif
