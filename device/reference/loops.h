/* loops.h: a nest of loops over the elements of an input and an output. */
#ifndef LOOPS_H
#define LOOPS_H

#include "device/common/descriptor.h"

/* `input`, `output`: bytes from one element to the next. */
struct loop {
    uint64_t size;
    int64_t input, output;
};

/* Loops, outermost first, and at least one after loops_end(). Loops of size 1 are left out; adjacent loops that step
 * evenly are merged. */
struct loops {
    uint32_t count;
    struct loop loops[DESCRIPTOR_MAX_DIMENSIONS];
};

/* Adds the next loop inwards. */
void loops_add(struct loops *loops, uint64_t size, int64_t input, int64_t output);
void loops_end(struct loops *loops);

const struct loop *loops_innermost(const struct loops *loops);

struct loops_place {
    int64_t input, output;
    uint64_t counters[DESCRIPTOR_MAX_DIMENSIONS];
};

/* Moves on to the next element, row-major, without the `inner` innermost loops. Returns 0 after the last one. */
int loops_next(const struct loops *loops, uint32_t inner, struct loops_place *place);

#endif
