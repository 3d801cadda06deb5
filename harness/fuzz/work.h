/* work.h: the worker's side of the fuzzer: makes the descriptions of a chunk, shows them to the device and judges what
 * it does, all in one process; only what is worth telling leaves it. */
#ifndef FUZZ_WORK_H
#define FUZZ_WORK_H

#include "harness/fuzz/fuzz.h"
#include "harness/trial/trial.h"

/* harmed() looks whether what belongs to the process was changed, says what, and puts it right. It may not return. */
struct fuzz_guard {
    bool (*harmed)(void *context, char *text, size_t size);
    void (*protect)(void *context, bool on); /* the memory that `state` is in, from being written */
    void *context;
};

/* Does what is asked for; `state` is shared with the harness and holds, when this returns or the process dies, what there
 * is so far. A chunk goes on where `state` is left by a worker that died. False: no memory, or no sense in the request. */
bool fuzz_work(struct trial_setup *setup, const struct spec_set *specs, const struct fuzz_request *request,
               const struct opdesc *seeds, const struct fuzz_guard *guard, struct fuzz_state *state);

#endif
