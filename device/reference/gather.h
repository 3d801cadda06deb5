/* gather.h: GATHER, GATHER_ELEMENTS, GATHER_ND and GATHER_ND1.
 *
 * Negative indices of signed types count from the end. An index that is still out of range reads the nearest element:
 * the first or the last. */
#ifndef GATHER_H
#define GATHER_H

#include "device/reference/walk.h"

struct gather {
    struct walk walk;
};

void gather_init(struct gather *gather, const struct descriptor *descriptor);

/* Runs the gather. Pointers are to the tensors' first elements. */
void gather_run(const struct gather *gather, const void *input, const void *indices, void *output);

#endif
