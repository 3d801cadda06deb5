/* runner.h: runs a plan on a device in worker processes, and hands over the records of each case, in plan order. */
#ifndef RUNNER_H
#define RUNNER_H

#include "harness/plan.h"
#include "harness/record.h"

#include "device/device.h"

enum runner_again { RUNNER_DONE, RUNNER_AGAIN, RUNNER_ALONE /* in a batch of its own */ };

struct runner_config {
    const struct plan *plan;
    const struct spec_set *specs;
    const char *specs_folder; /* for the workers */
    const char *device;       /* as given with -d */
    uint64_t seed;
    unsigned jobs;                 /* worker processes, at least 1 */
    unsigned batch;                /* most cases per dispatch; 0: as the device likes */
    unsigned timeout_ms;           /* for one case */
    bool dump;                     /* records have their dump */
    const char *reproduce_options; /* what a reproduce line needs besides name, device and seed */

    const uint32_t *order; /* in which cases are run, a permutation of the plan's; null: as planned */

    /* Whether a case is to be run again that has ended so, after `attempts` attempts. Null: never. */
    enum runner_again (*again)(void *context, size_t index, enum status status, unsigned attempts);
    /* Called with a case's last record before it is counted: may set its standing and reason. Null: it has none. */
    void (*judge)(void *context, size_t index, struct record *record);
    /* Called once the device is open, before the first record; nonzero ends the run with that status. After
     * runner_interrupt() it may be called with an empty `info`: the device was not opened. */
    int (*started)(void *context, const assay_device_info *info, struct error *error);
    /* Called for each attempt at a case, the last one last. The record and its text are gone afterwards. */
    int (*record)(void *context, const struct record *record, struct error *error);
    /* Called before waiting for a worker when all records so far are handed over: to make them safe. */
    int (*idle)(void *context, struct error *error);
    void *context;
};

struct runner_total {
    struct record_total records;
    uint64_t elapsed_ns;
    bool interrupted;
    uint64_t unexplained; /* batches that died, or lost the device, of which every case ended well alone */
    char opening[200];    /* what opening the device changed that belongs to the process; "": nothing */
    char closing[700]; /* how a worker ended that died while its device was closed, after the last case; "": none did */
};

/* Returns 0 when every case has its record, whatever the outcome; EXIT_NO_DEVICE if the device could not be opened;
 * another status if a callback failed. After runner_interrupt() the cases that are left are recorded as incomplete. */
int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error);

/* Ends the run soon; safe in a signal handler. */
void runner_interrupt(void);
bool runner_interrupted(void);

#endif
