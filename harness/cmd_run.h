/* cmd_run.h: running a plan on one device and passing the records on; shared by `run` and `repro`. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "harness/cmd.h"
#include "harness/outputs.h"
#include "harness/runner.h"
#include "harness/store.h"

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
};

/* Runs all cases of the plan on the device. Returns 0, or the status of what went wrong with the run itself. */
int cmd_run_on(const struct cmd_run_on *run, const char *device, struct runner_total *total, struct error *error);

/* What the outcome of all devices means for the exit status. */
int cmd_run_status(const struct runner_total *total);

#endif
