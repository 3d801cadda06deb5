/* runner.h: runs a plan on a device in worker processes, and hands over one record for each case, in plan order. */
#ifndef RUNNER_H
#define RUNNER_H

#include "harness/plan.h"
#include "harness/record.h"

#include "device/device.h"

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

    /* Called once the device is open, before the first record; nonzero ends the run with that status. After
     * runner_interrupt() it may be called with an empty `info`: the device was not opened. */
    int (*started)(void *context, const assay_device_info *info, struct error *error);
    /* Called once for each case. The record and its text are gone afterwards. */
    int (*record)(void *context, const struct record *record, struct error *error);
    /* Called before waiting for a worker when all records so far are handed over: to make them safe. */
    int (*idle)(void *context, struct error *error);
    void *context;
};

struct runner_total {
    uint64_t counts[STATUS_COUNT]; /* their sum is the number planned */
    uint64_t elapsed_ns;
    bool interrupted;
    uint64_t unexplained; /* batches that died, or lost the device, of which every case ended well alone */
    char closing[700]; /* how a worker ended that died while its device was closed, after the last case; "": none did */
};

/* Returns 0 when every case has its record, whatever the outcome; EXIT_NO_DEVICE if the device could not be opened;
 * another status if a callback failed. After runner_interrupt() the cases that are left are recorded as incomplete. */
int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error);

/* Ends the run soon; safe in a signal handler. */
void runner_interrupt(void);
bool runner_interrupted(void);

#endif
