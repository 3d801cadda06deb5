/* history.h: reads results databases. A database may come from an untrusted source: it is opened read-only and in
 * SQLite's defensive mode, its tables must be plain tables, and the views are those of this program's
 * reports/schema.sql, not those of the file. All reads see one snapshot, even while a run writes the database.
 *
 * Functions that return int return 0, or an exit status with the reason in `error`: EXIT_HARNESS if the database cannot
 * be read, or a status that their comments name. A function with a callback calls it once per row; when it returns
 * nonzero, the function stops and returns that value. Text passed to a callback is valid until the callback returns. */
#ifndef RESULTS_HISTORY_H
#define RESULTS_HISTORY_H

#include "harness/base/error.h"
#include "harness/run/record.h"

#include <stdbool.h>
#include <stdint.h>

struct history;
struct sqlite3;

/* A row of view runs. Text may come from an untrusted database: print it with text_print(). It is valid as long as the
 * history is open. */
struct history_run {
    int64_t id;
    int64_t invocation; /* the call of `assay run` that the run belongs to; 0: none */
    const char *device; /* as given with -d */
    const char *state;  /* "running", "complete", "incomplete" */
    const char *started, *ended;
    const char *device_name, *device_driver, *device_version, *feature_level;
    const char *version; /* the version of assay */
    uint64_t seed, plan_hash;
    int64_t planned; /* number of cases in the shard */
    unsigned shard, shards;
    const char *purpose, *command;
    bool partial; /* the run has only a part of the default plan */
    bool half;    /* the run was made with --half: it does not count in the state of its device */
    const char *device_hash, *device_build, *label, *revision, *branch;
};

/* The result of a case in a run. If the case has several attempts, the last one counts. */
struct history_result {
    const char *case_name, *operator_name, *rule, *message, *reproduce;
    const char *broken;  /* id of the rule that is broken, or "" */
    const char *outcome; /* the device's choice, if it has one, or "" */
    enum status status;
    enum cause cause;
    struct largest_error error;
    bool failure; /* the result makes its run fail, as in view failures */
    bool flaky;
    int64_t run;  /* the run that the result is of */
    bool not_run; /* in a state: a later run planned the case, but did not run it */
};

/* The state of a device right after a run: the newest conformance verdict on each case (view state_results). */
struct history_summary {
    int64_t cases, failures, flaky, expected; /* expected: failures that an expectation file expects */
    int64_t ran;                              /* cases whose verdict is of the run itself */
    int64_t first_run;                        /* the oldest run that a verdict comes from; 0: no case */
    int64_t whole_run;                        /* the last whole and complete run up to it; 0: none */
    int64_t other_files;                      /* cases whose verdict is of another content of the device's file */
};

/* The cases of a state to read. */
enum history_cases_of {
    HISTORY_ALL, /* all */
    HISTORY_RAN, /* the cases that the run has; and, of the state before it, the cases that are gone after it */
};

/* One attempt at a case. */
struct history_attempt {
    const char *case_name, *message;
    enum status status;
};

/* The batch that a worker of a run is running, or was running when the harness died. */
struct history_running {
    int worker;            /* 1, 2, … */
    const char *case_name; /* the first case of the batch */
    int64_t cases;
    double seconds; /* since the batch began */
};

/* One timing sample. */
struct history_sample {
    const char *case_name;
    uint64_t host_ns, device_ns; /* device_ns 0: the device has no clock */
};

/* Cases that fail in a run, and have failed in each run of its device since `run`. */
struct history_failing {
    int64_t run, cases;
    const char *started, *revision; /* of that run */
    const char *case_name;          /* the first case, by name */
};

/* Opens a database. EXIT_HARNESS, with one sentence that names the file: the file does not exist, is no assay database
 * of this schema version, is damaged, or has views in place of tables. */
int history_open(const char *path, struct history **out, struct error *error);
void history_close(struct history *history); /* null is allowed and does nothing */

/* Copies several databases into one temporary database. Runs are numbered in the order in which they began; cases of
 * the same name become one case. Searches and mutation results are copied too. Table source (run_id, database,
 * original) holds the database and id that each run comes from, table hunt_source (id, database, original) those of
 * each search. Errors are those of history_open(), EXIT_HARNESS for a row that does not fit the schema, and EXIT_USAGE
 * for more than 1000 databases. */
int history_join(const char *const *paths, size_t count, struct history **out, struct error *error);

/* Makes a history of a database that this program created. The history owns `db`; on an error it is closed at once.
 * `name` takes the place of the path in messages. */
int history_adopt(struct sqlite3 *db, const char *name, struct history **out, struct error *error);

/* Returns the path, as given to history_open(). */
const char *history_path(const struct history *history);

/* Reads a run by its id. EXIT_NO_MATCH: no such run; the message names the last one. */
int history_run(struct history *history, int64_t id, struct history_run *run, struct error *error);

/* Reads the last run of a device (null: of any device) that counts in its state (view conformance_runs) and whose id is
 * below `before` (0: any id). EXIT_NO_MATCH: none. */
int history_last_run(struct history *history, const char *device, int64_t before, struct history_run *run,
                     struct error *error);

/* Reads the last run of each device that counts in its state, latest first, at most `max`. */
int history_last_runs(struct history *history, struct history_run *runs, int max, int *count, struct error *error);

/* Reads the runs of the last call of `assay run` that has runs and all runs after them, which other commands made, in
 * order, at most `max`. Without such a call, reads the last run of each device and purpose. EXIT_NO_MATCH: no run. */
int history_last_call(struct history *history, struct history_run *runs, int max, int *count, struct error *error);

/* Reads the newest run of each shard of the same plan, seed and number of shards, for each device whose last run is of
 * a shard. Reads at most `max` runs, in order. */
int history_shards(struct history *history, struct history_run *runs, int max, int *count, struct error *error);

/* Returns the planned number of runs of the last call; 0: not known. */
int history_runs_wanted(struct history *history);

/* Reads the batches that the workers of a run are running. */
int history_running(struct history *history, int64_t run, int (*each)(void *context, const struct history_running *),
                    void *context, struct error *error);

/* Reads since which runs the failing cases of a run fail, oldest first. A run in which the device did not run a case
 * says nothing about it. */
int history_failing(struct history *history, int64_t run, int (*each)(void *context, const struct history_failing *),
                    void *context, struct error *error);

/* Returns the database, for queries by the caller. It is read-only, unless the history was made by history_join() or
 * history_adopt(). */
struct sqlite3 *history_database(const struct history *history);

/* Reads the results of a run, sorted by case name as by strcmp(). An unknown status is EXIT_HARNESS. */
int history_results(struct history *history, int64_t run, int (*each)(void *context, const struct history_result *),
                    void *context, struct error *error);

/* Reads the state of the device of run `as_of`, which counts in it, right after that run, sorted as history_results()
 * sorts. All commands call this state "current". */
int history_state(struct history *history, int64_t as_of, enum history_cases_of cases,
                  int (*each)(void *context, const struct history_result *), void *context, struct error *error);

/* Reads the state right after run `before` of the cases that run `as_of` has, and of the cases that are gone after it.
 * It serves for a comparison with history_state(as_of, HISTORY_RAN). */
int history_state_before(struct history *history, int64_t before, int64_t as_of,
                         int (*each)(void *context, const struct history_result *), void *context, struct error *error);

/* Counts the cases of a state. */
int history_summary(struct history *history, int64_t as_of, struct history_summary *out, struct error *error);

/* Describes a state that one run alone did not make, for a person: "8 of 32477 cases in run 5, the others in runs 1 to
 * 4, 32469 of them with another file of the device"; "" if the run has all cases. */
void history_describe(const struct history_run *run, const struct history_summary *summary, char *text, size_t size);

/* Reads all attempts of a run, grouped by case, in order; if `state` is set, reads the attempts behind the verdicts of
 * the state right after it. An unknown status is EXIT_HARNESS. */
int history_attempts(struct history *history, int64_t run, bool state,
                     int (*each)(void *context, const struct history_attempt *), void *context, struct error *error);

/* Reads the timing samples of a run, sorted by case name, then in the order in which they were taken. */
int history_samples(struct history *history, int64_t run, int (*each)(void *context, const struct history_sample *),
                    void *context, struct error *error);

/* Reads the names of all cases that have a result other than incomplete in a run that counts in the state of a device
 * and has an id below `before` (0: any). */
int history_cases(struct history *history, int64_t before, int (*each)(void *context, const char *name), void *context,
                  struct error *error);

#endif
