/* runner.h: runs a plan on a device in worker processes, and hands over the records of each case, in plan order. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "harness/case/plan.h"
#include "harness/base/profile.h"
#include "harness/run/record.h"
#include "harness/worker/sandbox.h"

#include "device/device.h"

enum { RUNNER_JOBS_MAX = 64 };

enum runner_again { RUNNER_DONE, RUNNER_AGAIN, RUNNER_ALONE /* in a batch of its own */ };

/* What a worker is at. */
struct runner_now {
    const char *case_name;
    uint32_t count; /* cases that it runs together, that one the first of them */
    uint64_t ns;    /* for how long */
};

struct runner_ahead;

struct runner_config {
    struct runner_ahead *ahead; /* the first worker, if it has been started; or null */
    const struct plan *plan;
    const struct spec_set *specs;
    const char *specs_folder; /* for the workers */
    const char *device;       /* as given with -d */
    uint64_t seed;
    unsigned jobs;                 /* worker processes, at least 1 */
    unsigned batch;                /* most cases per dispatch; 0: as the device likes */
    unsigned timeout_ms;           /* for one case */
    unsigned slow_ms;              /* a case that takes longer is slow; 0: none is */
    struct sandbox *sandbox;       /* what workers may do */
    unsigned max_deaths;           /* so many cases in a row that end their worker: the device is broken; 0: never */
    uint64_t end_ns;               /* clock_ns() when the run has to end; 0: whenever it is done */
    bool profile;                  /* what workers spend is added up */
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
    /* Called for each attempt at each case, in plan order, the last attempt last. The record and its text are gone
     * afterwards. */
    int (*record)(void *context, const struct record *record, struct error *error);
    /* Called before that with the attempts at a case that has to wait for its turn, to make them safe; `kept` is set when
     * they come again. Null: they wait. */
    int (*keep)(void *context, const struct record *record, struct error *error);
    /* Per case: whether an earlier part of the run has done it; it is recalled in its turn, and counted there, instead of
     * being run. May be filled in by started(). Null: none. */
    const bool *known;
    int (*recall)(void *context, size_t index, struct record_total *total, struct error *error);
    /* Called when a case takes longer than it should. Null: nobody is told. */
    void (*slow)(void *context, const struct runner_now *now);
    /* Called before waiting for a worker, now and then meanwhile, and after a signal: all that is known is handed over.
     * Tells what is running. Null: nobody is told. */
    int (*pulse)(void *context, const struct runner_now *now, unsigned count, struct error *error);
    void *context;
};

struct runner_total {
    struct record_total records;
    uint64_t elapsed_ns;
    bool interrupted;       /* or out of time */
    uint64_t unexplained;   /* batches that died, or lost the device, of which every case ended well alone */
    struct profile workers; /* of all of them, if it was asked for, */
    uint64_t workers_kib;   /* and the most memory that one had */
    char opening[320];      /* what opening the device did to the process: "changed …"; "": no harm */
    char closing[700];      /* what a worker did while its device was closed, after the last case; "": no
                        * harm */
};

/* Starts the first worker of a run before there is a plan, so that it opens its device meanwhile: device, specs_folder, sandbox,
 * dump and profile must be as they will be. Null: none could be started, which is no error. */
struct runner_ahead *runner_start_ahead(const struct runner_config *config);

/* Ends it, if no run has taken it; null: nothing. */
void runner_end_ahead(struct runner_ahead *ahead);

/* Returns 0 when every case has its record, whatever the outcome; EXIT_NO_DEVICE if the device could not be opened;
 * another status if a callback failed. After runner_interrupt() the cases that are left are recorded as incomplete. */
int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error);

/* Ends the run soon; safe in a signal handler. */
void runner_interrupt(void);
bool runner_interrupted(void);

#endif
