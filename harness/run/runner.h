/* runner.h: runs a plan on a device in worker processes and passes on the records of all cases, in plan order. */
#ifndef RUN_RUNNER_H
#define RUN_RUNNER_H

#include "harness/base/profile.h"
#include "harness/plan/plan.h"
#include "harness/run/expect.h"
#include "harness/run/record.h"
#include "harness/worker/sandbox.h"

#include "device/device.h"

/* Limits and defaults that --help names, too (CMD_TEXT() of cli/cmd.h). */
#define RUNNER_TIMEOUT 10  /* seconds for a case, unless the user says otherwise */
#define RUNNER_BATCH 64    /* cases per dispatch, unless the user or the device says otherwise */
#define RUNNER_JOBS_AUTO 8 /* workers, at most, unless the user says otherwise */
#define RUNNER_JUDGES 3    /* judges that may die with a case, or while a device is opened, before that is its end */
enum { RUNNER_JOBS_MAX = 64, RUNNER_TIMEOUT_MS = RUNNER_TIMEOUT * 1000 };

/* The cases that a worker is running. */
struct runner_now {
    const char *case_name; /* null: the worker is opening the device */
    uint32_t count;        /* cases that the worker runs together; case_name is the first of them */
    uint64_t ns;           /* the time for which it has run them */
};

struct runner_prestarted;

struct runner_config {
    struct runner_prestarted *prestarted; /* the first worker, from runner_prestart(); or null */
    const struct plan *plan;
    const struct spec_set *specs;
    const char *specs_folder; /* for the workers */
    const char *device;       /* as given with -d */
    uint64_t seed;
    unsigned jobs;               /* worker processes, at least 1 */
    unsigned batch;              /* maximum number of cases per dispatch; 0: the device's own, or RUNNER_BATCH */
    unsigned timeout_ms;         /* for one case */
    const uint32_t *timeouts_ms; /* the same per case of the plan; null: timeout_ms for all */
    uint64_t max_failures;       /* end the run after this many cases that make it fail; 0: no limit */
    unsigned repeat;             /* attempts at every case; 0: one, and `retries` */
    const uint32_t
        *retries;          /* per case of the plan: further attempts, alone, after an unexpected failure; null: none */
    bool flaky_ok;         /* flaky cases do not make the run fail */
    struct expect *expect; /* the expectations, which started() has applied to the device; null: none */
    unsigned slow_ms;      /* a case that takes longer is slow; 0: none is */
    struct sandbox *sandbox;       /* the permissions of workers */
    char *const *debugger;         /* as in struct process_config: there are no time limits; null: none */
    unsigned max_deaths;           /* after this many fatal cases in a row the device counts as broken; 0: no limit */
    uint64_t end_ns;               /* clock_ns() at which the run must end; 0: no limit */
    bool profile;                  /* add up the time that workers spend in each stage */
    bool dump;                     /* records contain the outputs as text */
    unsigned measure_ms;           /* measure each case for this time, with `batch` 1; 0: run the case once */
    bool half;                     /* devices may compute FLOAT32 in FLOAT16, and are told so */
    const char *reproduce_options; /* options of the reproduce command besides name, device and seed */

    const uint32_t *order; /* the order of the cases, a permutation of the plan's; null: as planned */

    /* Called once, when the device is open, before the first record; nonzero ends the run with that exit status. If the
     * run ends before the device is open, it is called with an empty `info`. */
    int (*started)(void *context, const assay_device_info *info, struct error *error);
    /* Called for each attempt at each case, in plan order, a case's last attempt last. The record and its strings are
     * valid only during the call. */
    int (*record)(void *context, const struct record *record, struct error *error);
    /* Called earlier with the attempts at a case that is done but has to wait for its turn, so that keep() can store
     * them. record() gets them again, with `kept` set. Null is allowed. */
    int (*keep)(void *context, const struct record *record, struct error *error);
    /* An item per case; true: an earlier part of the run has finished the case. The runner then passes the case to
     * recall() in its turn, which adds the case to `total`. started() may fill the array in. Null: no case is
     * finished. */
    const bool *finished;
    int (*recall)(void *context, size_t index, struct record_total *total, struct error *error);
    /* Called when a case takes longer than slow_ms. Null is allowed. */
    void (*slow)(void *context, const struct runner_now *now);
    /* Called regularly, and after a signal, with the cases that the workers are running; all finished cases have been
     * passed to record() or keep(). Null is allowed. */
    int (*pulse)(void *context, const struct runner_now *now, unsigned count, struct error *error);
    void *context; /* for all callbacks */
};

struct runner_total {
    struct record_total records;
    uint64_t elapsed_ns;
    bool interrupted;       /* the run ended early: by a signal, or out of time */
    uint64_t unexplained;   /* batches that failed as a whole, though none of their cases failed alone */
    struct profile workers; /* the sum over all workers, if `profile` was asked for */
    uint64_t workers_kib;   /* memory of the largest worker, if profile was asked for */
    char opening[320]; /* the changes that the device made to the process when it was opened: "changed …"; "": none */
    char closing[700]; /* the harm that a worker did while its device was closed, after the last case; "": none */
};

/* Returns the number of workers: `asked`, or if that is 0 one for each processor; fewer if there are so few `planned`
 * cases that a worker would have little to do. */
unsigned runner_jobs(uint64_t asked, uint64_t planned);

/* Gives each worker its part of the processors. Lavapipe starts a thread for each processor, and a dispatch waits for
 * all threads, however small it is. Without threads, lavapipe computes in the thread that submits. A value that the
 * user has set stays. */
void runner_share_processors(unsigned jobs);

/* Starts the first worker of a run before there is a plan, so that it opens the device in the meantime. `device`,
 * `specs`, `specs_folder`, `sandbox`, `dump`, `half`, `repeat` and `profile` must be those of the run. Null: the worker
 * could not be started, which is no error. */
struct runner_prestarted *runner_prestart(const struct runner_config *config);

/* Frees the prestarted worker after the run, and ends it if no run took it over; null is allowed. */
void runner_prestarted_free(struct runner_prestarted *prestarted);

/* Runs the plan. Returns 0 when every case has its record, whatever its status; EXIT_NO_DEVICE if the device could not
 * be opened; EXIT_HARNESS; or the status of the callback that failed. When the run ends early, the remaining cases get
 * STATUS_INCOMPLETE. */
int runner_run(const struct runner_config *config, struct runner_total *total, struct error *error);

/* Returns the exit status for the results of one device, or for their sum: EXIT_INCOMPLETE if interrupted, else
 * EXIT_FAILURES, EXIT_INCOMPLETE, EXIT_NO_DEVICE if no case was judged, or EXIT_AS_EXPECTED. */
int runner_exit_status(const struct runner_total *total);

/* Installs handlers with which SIGINT, SIGTERM and SIGHUP end a run early; finished results are kept. */
void runner_catch_signals(void);

bool runner_interrupted(void);

#endif
