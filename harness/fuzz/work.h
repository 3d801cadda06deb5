/* work.h: the fuzzing that a worker does: makes the descriptions of a chunk, gives them to the device and judges its
 * answers, all in one process. Only the state in shared memory leaves it. */
#ifndef FUZZ_WORK_H
#define FUZZ_WORK_H

#include "harness/fuzz/state.h"
#include "harness/trial/trial.h"

/* The protection of the work from the device. */
struct fuzz_guard {
    /* Returns true if the device changed process state; `text` says which. Restores the state, or ends the process. */
    bool (*harmed)(void *context, char *text, size_t size);
    /* Makes the memory of `state` read-only, or writable again. */
    void (*protect)(void *context, bool on);
    void *context;
};

/* Does the work of the request and leaves the results in `state`, up to date at any time in case the process dies. A
 * chunk with request->skip continues with the state that a dead worker left. `seeds`: as many as the request says.
 * False: no memory, or a malformed request. */
bool fuzz_work(struct trial_setup *setup, const struct spec_set *specs, const struct fuzz_request *request,
               const struct opdesc *seeds, const struct fuzz_guard *guard, struct fuzz_state *state);

#endif
