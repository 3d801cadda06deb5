/* worker.h: the process that makes and judges cases. The harness starts it as `assay worker …`, sends it batches of
 * cases or requests for a task, and gets the results.
 *
 * Batches are judged apart from the device, which runs in a process of its own (host/host.h): what it does to that
 * process, it does not do to the judge. A task has the device in the worker's own process, which is faster. Whatever a
 * device does, the harness survives. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "harness/trial/trial.h"

struct worker;

/* Work other than batches of cases. Does what the request of `size` bytes (aligned to 16) asks for and leaves the
 * result in `shared`: process_config.shared_size bytes of memory that the harness sees too and that outlive this
 * process. False: no memory, or a malformed request; the worker then ends. */
typedef bool (*worker_task)(struct worker *worker, const void *request, size_t size, void *shared);

struct worker_config {
    const char *device;                           /* as given with -d */
    const char *specs;                            /* folder */
    bool spare;                                   /* the judge waits for WIRE_OPEN before the device is opened */
    bool kept;                                    /* WIRE_SPECS has what the harness has read of it */
    const struct builtin_device *const *builtins; /* for plugin_open() */
    worker_task task;                             /* for worker_main() */
    bool dump;                                    /* results contain the outputs as text */
    bool repeated;                                /* cases come several times */
    bool half;                                    /* as in struct trial_setup */
    unsigned measure_ms;                          /* how long cases are measured (measure.h); 0: they are not */
    bool profile;                                 /* struct progress reports where the time goes */
};

/* Opens the device here and serves tasks until the harness closes the socket. Returns an exit status: nonzero if the
 * device could not be opened. */
int worker_main(const struct worker_config *config);

/* Has the device's process open the device and judges batches, until the harness closes the socket. Returns the
 * same. */
int worker_judge(const struct worker_config *config);

/* ---- for tasks */

struct trial_setup *worker_setup(struct worker *worker);
const struct spec_set *worker_specs(const struct worker *worker);

/* Whether, since the last call, the device changed what belongs to the process or was denied something. `text` says
 * what, and "" if nothing. Restores what was changed; if that is impossible it ends the process. `when`: "operators
 * were created", for the message. */
bool worker_is_harmed(struct worker *worker, const char *when, char *text, size_t size);

/* Makes the memory shared with the harness read-only, so that a device cannot write there, or writable again. */
void worker_protect_shared(struct worker *worker, bool on);

#endif
