/* history.h: results databases as their readers see them. A database may come from anybody: it is opened read-only and
 * defensively, its tables must be plain tables, and the views are those of reports/schema.sql as of this program, not
 * those of the file. All that is read is of one moment, also while a run goes on. */
#ifndef RESULTS_HISTORY_H
#define RESULTS_HISTORY_H

#include "harness/base/error.h"
#include "harness/run/record.h"

#include <stdbool.h>
#include <stdint.h>

struct history;
struct sqlite3;

/* A row of view runs. Text may hold anything that is no control character in a database of ours: print it with
 * text_print(). It lives as long as the history. */
struct history_run {
    int64_t id;
    const char *device; /* as given with -d */
    const char *state;  /* "running", "complete", "incomplete" */
    const char *started, *ended;
    const char *device_name, *device_driver, *device_version, *feature_level;
    const char *version; /* of assay */
    uint64_t seed, plan_hash;
    int64_t planned; /* cases, of the shard */
    unsigned shard, shards;
};

/* What counts of a case in a run. Text lives until the callback returns. */
struct history_result {
    const char *case_name, *operator_name, *rule, *message, *reproduce;
    const char *outcome; /* what the device chose where it has a choice, or "" */
    enum status status;
    bool failure; /* makes its run fail: as in view failures */
};

/* One attempt at a case. */
struct history_attempt {
    const char *case_name, *message;
    enum status status;
};

/* What a worker of a run is at, or was when its harness died. */
struct history_running {
    int worker; /* 1, 2, … */
    const char *case_name;
    int64_t cases; /* that it runs together, that one the first */
    double seconds;
};

/* One timing sample. */
struct history_sample {
    const char *case_name;
    uint64_t host_ns, device_ns; /* device_ns 0: no clock */
};

/* EXIT_HARNESS with one sentence naming the file: it is not there, no database, not an assay database, of another schema
 * version, damaged, or made to mislead. */
int history_open(const char *path, struct history **out, struct error *error);
void history_close(struct history *history); /* null: nothing */

/* Several databases as one, in a temporary copy: runs numbered in the order in which they began, cases of one name
 * one case. What searches and mutation measured is there too; of what a database does not have, nothing. Table source
 * (run_id, database, original) says where a run comes from, hunt_source (id, …) where a search does. Errors as of history_open(),
 * and EXIT_HARNESS with the table that holds what no database of ours does. */
int history_join(const char *const *paths, size_t count, struct history **out, struct error *error);

/* A database that was made by this program, as a history with that name; it is closed with it, or at once on an error. */
int history_adopt(struct sqlite3 *db, const char *name, struct history **out, struct error *error);

/* The path as given. */
const char *history_path(const struct history *history);

/* A run by its number. EXIT_NO_MATCH: there is none, and which there are. */
int history_run(struct history *history, int64_t id, struct history_run *run, struct error *error);

/* The last run of a device (null: of any) that has a number below `before` (0: any number). EXIT_NO_MATCH: none. */
int history_last_run(struct history *history, const char *device, int64_t before, struct history_run *run,
                     struct error *error);

/* The last run of each device, latest first, `most` at most. */
int history_last_runs(struct history *history, struct history_run *runs, int max, int *count, struct error *error);

/* The runs of the last call of `assay run` that has any, in order, `most` at most. EXIT_NO_MATCH: none. */
int history_last_invocation(struct history *history, struct history_run *runs, int max, int *count,
                            struct error *error);

/* How many runs that call is to have; 0: not known. */
int history_runs_wanted(struct history *history);

/* What the workers of a run are at. */
int history_running(struct history *history, int64_t run, int (*each)(void *context, const struct history_running *),
                    void *context, struct error *error);

/* For statements of its own; read-only. */
struct sqlite3 *history_database(const struct history *history);

/* The results of a run by name, strcmp() order. A status that this program does not know is EXIT_HARNESS. A callback
 * that returns nonzero ends it, with that. */
int history_results(struct history *history, int64_t run, int (*each)(void *context, const struct history_result *),
                    void *context, struct error *error);

/* All attempts of a run, those at one case one after the other, in order. */
int history_attempts(struct history *history, int64_t run, int (*each)(void *context, const struct history_attempt *),
                     void *context, struct error *error);

/* The timing samples of a run, by name and in the order they were taken. */
int history_samples(struct history *history, int64_t run, int (*each)(void *context, const struct history_sample *),
                    void *context, struct error *error);

/* The names of all cases that some run has run that has a number below `before` (0: any number): that have a result other
 * than incomplete. */
int history_cases(struct history *history, int64_t before, int (*each)(void *context, const char *name), void *context,
                  struct error *error);

#endif
