/* cmd_run.h: running a plan on one device and passing the records on; shared by `run` and `repro`. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "harness/cmd.h"
#include "harness/expect.h"
#include "harness/outputs.h"
#include "harness/runner.h"
#include "harness/store.h"

/* What is expected of one device. */
struct cmd_run_expect {
    struct expect expect;
    char sources[4096]; /* the files, for people; "": none */
};

/* Loads `files`, before them the one that lies beside the device's library, if `beside`. As expect_load(). */
int cmd_run_expect_load(struct cmd_run_expect *e, const char *device, const struct option_list *files, bool beside,
                        struct error *error);
void cmd_run_expect_free(struct cmd_run_expect *e);

/* After a run of all that was planned: says on standard error which lines are stale, and counts them. Where the filter
 * left cases out, the whole plan is made for that. */
int cmd_run_expect_end(const struct cmd_run_expect *e, const char *device, const struct cmd_source *source,
                       size_t *stale, struct error *error);

struct cmd_run_on {
    const struct cmd_plan *plan;
    struct outputs *outputs;
    struct store *store;  /* null: no database */
    const char *database; /* its path, "" if none */
    const char *command;  /* the command line, for the store */
    const char *reproduce_options;
    uint64_t seed;
    bool dump; /* records have their dump */
    unsigned jobs, batch, timeout_ms;
    unsigned retries;              /* of a case that failed and was not expected to */
    unsigned repeat;               /* attempts at every case; 0: one */
    bool flaky_ok;                 /* flaky cases do not make the run fail */
    struct cmd_run_expect *expect; /* null: nothing is expected */
    uint64_t shuffle;              /* seed of the order of execution; 0: as planned */
};

/* Runs all cases of the plan on the device. Returns 0, or the status of what went wrong with the run itself. */
int cmd_run_on(const struct cmd_run_on *run, const char *device, struct runner_total *total, struct error *error);

/* Which cases of a plan are wanted, by what a database knows of them. */
struct cmd_run_wanted {
    const char *database;
    bool failed; /* in the last run of the device: failed, or were not run */
    bool fresh;  /* no run has run them yet, on any device */
};

/* The wanted cases, in a plan that leans on the first one; free its `cases`. `seed`, if 0, becomes that of the run whose
 * failures they are. EXIT_NO_MATCH if the device has no run. */
int cmd_run_choose(const struct cmd_run_wanted *wanted, const struct plan *plan, const char *device,
                   struct plan *chosen, uint64_t *seed, struct error *error);

/* From now on Ctrl-C and the like end runs early, in good order. */
void cmd_run_catch_signals(void);

/* What a line that repeats a case needs besides its name, device and seed. */
enum { CMD_REPRODUCE_OPTIONS = 2 * PATHS_SIZE + 32 };
void cmd_run_reproduce_options(const struct cmd_source *source, char text[CMD_REPRODUCE_OPTIONS]);

/* What the outcome of all devices means for the exit status. */
int cmd_run_status(const struct runner_total *total);

#endif
