/* cmd_repro.h: the parts of `assay repro`. */
#ifndef CLI_CMD_REPRO_H
#define CLI_CMD_REPRO_H

#include "harness/cli/cmd_run.h"

/* The settings with which a case is run. */
struct cmd_repro_run {
    const char *device;
    struct sandbox *sandbox;
    uint64_t seed;
    unsigned timeout_ms;
    bool half;
};

/* Runs the case of the plan and legal variants of it, each with one change, and prints which changes end its failure.
 * EXIT_FAILURES if the case fails; otherwise, and for a harness error, the status of a run of the case alone.
 * EXIT_USAGE: it is no case that expects results. */
int cmd_repro_vary(const struct cmd_repro_run *how, const struct cmd_plan *plan, const struct testcase *c,
                   struct error *error);

#endif
