/* sequence.h: judges a sequence of calls (case/lifecycle.h) against a model of what exists, each dispatch against the
 * expected outputs: a case of the interface, or the calls for one operator, again and again. What fails is shrunk to
 * the fewest calls that fail. */
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
    /* The same, but the steps are made `times` times, and nothing comes of it but what the process uses then. */
    void (*repeat)(void *context, uint32_t count, uint32_t times);
    void *context;
};

/* Judges the case: sets status, cause, promise, message and dump. */
void sequence_judge(const struct sequence_context *context, struct trial *t);

#endif
