/* sequence.h: judges a case of the interface: a sequence of calls (case/lifecycle.h) against a model of what exists,
 * each dispatch against the expected outputs. What fails is shrunk to the fewest calls that fail. */
#ifndef WORKER_SEQUENCE_H
#define WORKER_SEQUENCE_H

#include "harness/spec/load.h"
#include "harness/trial/trial.h"
#include "harness/worker/link.h"

struct sequence_context {
    struct trial_setup *setup;
    struct link *link;
    const struct spec_set *specs;
    const char *arguments; /* of the device */
    /* Asks for the `count` steps in the exchange and waits for the answers. `promise`: what the device breaks if its
     * process dies. */
    void (*ask)(void *context, uint32_t count, enum promise promise);
    void *context;
};

/* Judges the case: sets status, cause, promise, message and dump. */
void sequence_judge(const struct sequence_context *context, struct trial *t);

#endif
