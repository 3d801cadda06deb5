/* cmd_run.h: running a plan on one device and passing the records on; shared by `run` and `repro`. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "harness/cmd.h"
#include "harness/format.h"
#include "harness/runner.h"
#include "harness/store.h"

struct cmd_run_on {
    const struct cmd_plan *plan;
    const struct format *format;
    struct format_stream *stream;
    struct store *store;  /* null: no database */
    const char *database; /* its path, "" if none */
    const char *command;  /* the command line, for the store */
    const char *reproduce_options;
    uint64_t seed;
    bool dump;                                                          /* print outputs, expected and got */
    unsigned jobs, batch, timeout_ms, slow_ms, memory_mib, deaths_most; /* as in struct runner_config */
    uint64_t end_ns;
    /* Per operator, if wanted: counts by status, indexed by the spec's place in the set. */
    uint64_t (*by_operator)[STATUS_COUNT];
};

/* Runs all cases of the plan on the device. Returns 0, or the status of what went wrong with the run itself. */
int cmd_run_on(const struct cmd_run_on *run, const char *device, struct runner_total *total, struct error *error);

/* What the outcome of all devices means for the exit status. */
int cmd_run_status(const struct runner_total *total);

#endif
