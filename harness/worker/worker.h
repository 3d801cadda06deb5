/* worker.h: the process that a device runs in. The harness starts it as `assay worker …`, sends batches of cases and
 * gets results; what happens in here cannot harm it. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "harness/trial/trial.h"

struct worker;

/* Work other than batches of cases: does what the request of `size` bytes (aligned to 16) asks for, and leaves the result
 * in `shared`, memory that the harness sees too and that outlives this process (process_config.shared_size bytes). False:
 * no memory, or the request makes no sense; the worker then ends. */
typedef bool (*worker_task)(struct worker *worker, const void *request, size_t size, void *shared);

struct worker_config {
    const char *device;                           /* as given with -d */
    const char *specs;                            /* folder */
    const struct builtin_device *const *builtins; /* for plugin_open() */
    worker_task task;                             /* null: batches of cases only */
    bool dump;                                    /* outputs come back as text too */
    bool profile;                                 /* struct progress says where the time goes */
};

/* Serves until the harness closes the socket. Returns an exit status. */
int worker_main(const struct worker_config *config);

/* ---- for tasks */

struct trial_setup *worker_setup(struct worker *worker);
const struct spec_set *worker_specs(const struct worker *worker);

/* Whether what belongs to the process was changed, or the device was denied something, since the last look; `text` says
 * what. What was changed is restored; does not return if it cannot be. */
bool worker_is_harmed(struct worker *worker, const char *when, char *text, size_t size);

/* Makes the memory shared with the harness read-only, so that a device cannot write there, or writable again. */
void worker_protect_shared(struct worker *worker, bool on);

#endif
