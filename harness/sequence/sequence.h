/* sequence.h: judges a sequence of calls (lifecycle.h): a case of the interface, or the repeated calls of one
 * operator. A model says which objects exist, and the expected outputs judge each dispatch. The judge shrinks a failing
 * sequence to the fewest calls that fail; where they end the device's process, it does so over several processes
 * (struct sequence_parts). */
#ifndef SEQUENCE_SEQUENCE_H
#define SEQUENCE_SEQUENCE_H

#include "harness/load/load.h"
#include "harness/sequence/lifecycle.h"
#include "harness/sequence/sequence_parts.h"
#include "harness/trial/trial.h"
#include "harness/trial/link.h"

struct sequence_context {
    struct trial_setup *setup;
    struct link *link;
    const struct spec_set *specs;
    const char *arguments;        /* the device's arguments */
    struct sequence_parts *parts; /* shared with the harness */
    /* Asks for the `count` steps in the exchange and waits for the answers. `promise`: the behaviour that the device
     * breaks if its process dies. */
    void (*ask)(void *context, uint32_t count, enum promise promise);
    /* Does the same, but the device's process makes the steps `times` times, and reports only the resources that it
     * uses then. */
    void (*repeat)(void *context, uint32_t count, uint32_t times);
    /* Ends this worker: the device's process has survived the calls. Does not return. */
    void (*survived)(void *context);
    void *context;
};

/* Judges the case: sets status, cause, promise, message and dump. If the harness asks for a part of calls that have
 * ended a process, the message and the dump are about the fewest calls that end it, and the status means nothing. */
void sequence_judge(const struct sequence_context *context, struct trial *t);

/* Takes the answer of a worker that has tried calls: did they end the device's process like those of the case? Returns
 * false if no further worker is to be asked, since the judge ends by itself. */
bool sequence_answer(struct sequence_parts *parts, bool ended);

/* Draws description `index` of a case, of an operator that is not denied, with data types and sizes that the device
 * supports by its own information. The search begins with draw `drawn->number`, and sets `drawn`. Returns false if none
 * was found. */
bool sequence_draw_desc(const struct spec_set *specs, const struct plugin *device,
                        const struct denied_operators *denied, uint64_t seed, unsigned index,
                        struct sequence_draw *drawn, struct testcase *c, struct opdesc *desc);

/* Returns the seed of the tensors of an item of a dispatch. */
uint64_t sequence_item_seed(uint64_t seed, const struct lifecycle_step *step, uint32_t index);

#endif
