/* lifecycle.h: sequences of calls that device.h allows, drawn at random: many operators, compiled operators and
 * dispatches, destroyed in every order that is allowed, on several devices. A model of the living objects says which
 * calls are allowed, so that any part of a sequence is a legal sequence, too: a step is left out if an object that it
 * needs does not exist. */
#ifndef SEQUENCE_LIFECYCLE_H
#define SEQUENCE_LIFECYCLE_H

#include "harness/case/testcase.h"
#include "harness/host/steps.h"

#include <stddef.h>

enum {
    LIFECYCLE_DESCS = 6, /* different descriptions of a sequence */
    LIFECYCLE_ITEMS = 4  /* of one dispatch, at most */
};

/* The place of the tensors of an item. */
enum lifecycle_memory {
    MEMORY_NEW,   /* nowhere that was used before */
    MEMORY_SAME,  /* that of the compiled operator's last dispatch: all bindings are the same */
    MEMORY_OFFSET /* elsewhere, with the bases of the last dispatch and other offsets */
};

struct lifecycle_step {
    struct step step;
    uint8_t desc;    /* STEP_CREATE */
    uint16_t number; /* among the calls that were drawn: the contents of its tensors depend on it */
    struct lifecycle_item {
        uint16_t compiled;
        uint8_t memory; /* enum lifecycle_memory */
        bool one_base;  /* all inputs have the base of the one that comes first in memory */
    } items[LIFECYCLE_ITEMS];
};

/* The objects that exist. Zeroed: device 0 alone. */
struct lifecycle_model {
    bool opened[STEP_DEVICES];
    struct lifecycle_object {
        bool alive;
        uint8_t device, desc;
        uint16_t op; /* of a compiled operator: what it was made from */
    } operators[STEP_OBJECTS], compiled[STEP_OBJECTS];
};

/* Returns true if item `n` of a dispatch can be dispatched: its compiled operator exists. */
bool lifecycle_has_item(const struct lifecycle_model *model, const struct lifecycle_step *step, uint32_t n);

/* Applies a step, without the items that it may not have. False: the step is not allowed, and nothing changes. */
bool lifecycle_apply(struct lifecycle_model *model, struct lifecycle_step *step);

/* Returns true if the calls are made again and again. */
bool lifecycle_repeats(const struct lifecycle *wanted);

/* Makes the calls for one operator, description 0: all calls that an operator goes through, with one item and with two.
 * Returns the number of calls. */
size_t lifecycle_of_one(struct lifecycle_step *steps);

/* Makes the fewest calls that run a description alone. Returns the number of calls. */
enum { LIFECYCLE_ALONE = 5 };
size_t lifecycle_alone(unsigned desc, struct lifecycle_step *steps);

/* Draws a sequence that leaves no object alive. `steps` has room for LIFECYCLE_STEPS. Returns the number of steps. */
size_t lifecycle_draw(const struct lifecycle *wanted, uint64_t seed, struct lifecycle_step *steps);

#endif
