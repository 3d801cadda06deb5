/* worker.h: the process that makes and judges cases. The harness starts it as `assay worker …`, sends it batches of
 * cases or requests for a task, and gets the results.
 *
 * The judge of batches runs apart from the device, which has a process of its own (host/host.h): a device that harms
 * its own process does not harm the judge. A task has the device in the worker's own process, which is faster. The
 * harness survives every deed of a device. */
#ifndef WORKER_WORKER_H
#define WORKER_WORKER_H

#include "harness/trial/trial.h"

struct worker;

/* A function for work other than batches of cases. It does the work of the request of `size` bytes (aligned to 16) and
 * leaves the result in `shared`: process_config.shared_size bytes of memory that the harness sees too and that outlive
 * this process. It returns false if memory runs out or the request is malformed; the worker then ends. */
typedef bool (*worker_task)(struct worker *worker, const void *request, size_t size, void *shared);

struct worker_config {
    const char *device; /* the device's name, as given with -d */
    const char *specs;  /* the folder of the specs */
    bool spare;         /* the judge waits for WIRE_OPEN before the device is opened */
    bool kept;          /* WIRE_SPECS has the specs that the harness has read from the folder */
    const struct builtin_device *const *builtins; /* the devices of the program, for plugin_open() */
    worker_task task;                             /* the function for requests, for worker_main() */
    bool dump;                                    /* results contain the outputs as text */
    bool repeated;                                /* cases come several times */
    bool half;                                    /* as in struct trial_setup */
    unsigned measure_ms; /* the time for measuring a case (measure.h); 0: cases are not measured */
    bool profile;        /* struct progress reports the profile's times */
};

/* Opens the device in this process and serves tasks until the harness closes the socket. Returns an exit status:
 * nonzero if the device could not be opened. */
int worker_main(const struct worker_config *config);

/* Has the device's process open the device, and judges batches until the harness closes the socket. Returns the same
 * exit status. */
int worker_judge(const struct worker_config *config);

/* ---- for tasks */

struct trial_setup *worker_setup(struct worker *worker);
const struct spec_set *worker_specs(const struct worker *worker);

/* Returns true if, since the last call, the device changed the state of the process or the sandbox denied it something.
 * `text` becomes the message about it, or "". Restores the changed state; ends the process if that is impossible.
 * `when`: "operators were created", for the message. */
bool worker_is_harmed(struct worker *worker, const char *when, char *text, size_t size);

/* Makes the memory shared with the harness read-only, so that a device cannot write there, or writable again. */
void worker_protect_shared(struct worker *worker, bool on);

#endif
