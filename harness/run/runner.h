/* runner.h: runs a plan on a device in worker processes and passes on the records of all cases, in plan order. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "harness/base/profile.h"
#include "harness/case/plan.h"
#include "harness/run/record.h"
#include "harness/worker/sandbox.h"

#include "device/device.h"

/* Limits and defaults that --help names, too (CMD_TEXT() of cli/cmd.h). */
#define RUNNER_TIMEOUT 10 /* seconds for a case, unless the user says otherwise */
#define RUNNER_BATCH 64   /* cases per dispatch, unless the user or the device says otherwise */
enum { RUNNER_JOBS_MAX = 64, RUNNER_TIMEOUT_MS = RUNNER_TIMEOUT * 1000 };

/* Whether a case gets another attempt. */
enum runner_again { RUNNER_DONE, RUNNER_AGAIN, RUNNER_ALONE /* in a batch of its own */ };

/* What a worker is running. */
struct runner_now {
    const char *case_name; /* null: it is opening the device */
    uint32_t count;        /* cases that it runs together; case_name is the first of them */
    uint64_t ns;           /* for how long */
};

struct runner_prestarted;

struct runner_config {
    struct runner_prestarted *prestarted; /* the first worker, from runner_prestart(); or null */
    const struct plan *plan;
    const struct spec_set *specs;
    const char *specs_folder; /* for the workers */
    const char *device;       /* as given with -d */
    uint64_t seed;
    unsigned jobs;                 /* worker processes, at least 1 */
    unsigned batch;                /* maximum number of cases per dispatch; 0: the device's own, or RUNNER_BATCH */
    unsigned timeout_ms;           /* for one case */
    const uint32_t *timeouts_ms;   /* the same per case of the plan; null: timeout_ms for all */
    uint64_t max_failures;         /* end the run after this many cases that make it fail; 0: no limit */
    unsigned repeat;               /* how often again() has every case run; 0: not always as often */
    unsigned slow_ms;              /* a case that takes longer is slow; 0: none is */
    struct sandbox *sandbox;       /* what workers may do */
    char *const *debugger;         /* as in struct process_config: there are no time limits; null: none */
    unsigned max_deaths;           /* after this many fatal cases in a row the device counts as broken; 0: no limit */
    uint64_t end_ns;               /* clock_ns() at which the run must end; 0: no limit */
    bool profile;                  /* add up where workers spend their time */
    bool dump;                     /* records contain the outputs as text */
    unsigned measure_ms;           /* measure each case for so long, with `batch` 1; 0: run it once */
    bool half;                     /* devices may compute in FLOAT16 what is FLOAT32, and are told so */
    const char *reproduce_options; /* options of the reproduce command besides name, device and seed */

    const uint32_t *order; /* in which cases are run, a permutation of the plan's; null: as planned */

    /* Whether a case must not be run, and why; asked once it is known that started() has been called. Null: none is. */
    bool (*skips)(void *context, size_t index, char *why, size_t size);
    /* Whether to run a case again that ended with `status` after `attempts` attempts. Null: never. */
    enum runner_again (*again)(void *context, size_t index, enum status status, unsigned attempts);
    /* Called with a case's last record before it is counted: may set its standing and reason. Null is allowed. */
    void (*judge)(void *context, size_t index, struct record *record);
    /* Called once, when the device is open, before the first record; nonzero ends the run with that exit status. If the
     * run ends before the device is open, it is called with an empty `info`. */
    int (*started)(void *context, const assay_device_info *info, struct error *error);
    /* Called for each attempt at each case, in plan order, a case's last attempt last. The record and its strings are
     * valid only during the call. */
    int (*record)(void *context, const struct record *record, struct error *error);
    /* Called earlier with the attempts at a case that is done but has to wait for its turn, so that they can be stored.
     * record() gets them again, with `kept` set. Null is allowed. */
    int (*keep)(void *context, const struct record *record, struct error *error);
    /* Per case: an earlier part of the run has finished it. Instead of being run, it is passed to recall() in its turn,
     * which adds it to `total`. started() may fill the array in. Null: no case is. */
    const bool *finished;
    int (*recall)(void *context, size_t index, struct record_total *total, struct error *error);
    /* Called when a case takes longer than slow_ms. Null is allowed. */
    void (*slow)(void *context, const struct runner_now *now);
    /* Called regularly, and after a signal, with what the workers are running; all finished cases have been passed to
     * record() or keep(). Null is allowed. */
    int (*pulse)(void *context, const struct runner_now *now, unsigned count, struct error *error);
    void *context; /* for all callbacks */
};

struct runner_total {
    struct record_total records;
    uint64_t elapsed_ns;
    bool interrupted;       /* by runner_interrupt(), or out of time */
    uint64_t unexplained;   /* batches that failed as a whole, which none of their cases explains alone */
    struct profile workers; /* sum over all workers, if it was asked for */
    uint64_t workers_kib;   /* memory of the largest worker, if profile was asked for */
    char opening[320];      /* what opening the device changed in the process: "changed …"; "": nothing */
    char closing[700];      /* what a worker did while its device was closed, after the last case; "": no harm */
};

/* Starts the first worker of a run before there is a plan, so that it opens the device in the meantime. `device`,
 * `specs`, `specs_folder`, `sandbox`, `dump`, `half`, `repeat` and `profile` must be those of the run. Null: it could
 * not be started, which is no error. */
struct runner_prestarted *runner_prestart(const struct runner_config *config);

/* Frees it after the run, and ends the worker if no run took it over; null is allowed. */
void runner_prestarted_free(struct runner_prestarted *prestarted);

/* Returns 0 when every case has its record, whatever its status; EXIT_NO_DEVICE if the device could not be opened;
 * EXIT_HARNESS; or the status of the callback that failed. When the run ends early, the remaining cases get
 * STATUS_INCOMPLETE. */
int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error);

/* Ends the run soon. Safe in a signal handler. */
void runner_interrupt(void);
bool runner_interrupted(void);

#endif
