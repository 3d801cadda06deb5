/* gather.h: GATHER, GATHER_ELEMENTS, GATHER_ND and GATHER_ND1.
 *
 * An index outside the dimension reads the nearest element: 0 below, the last one above, after negative indices of
 * signed types have been counted from the end. */
#ifndef GATHER_H
#define GATHER_H

#include "device/reference/walk.h"

struct gather {
    struct walk walk;
};

void gather_init(struct gather *gather, const struct descriptor *descriptor);
void gather_run(const struct gather *gather, const void *input, const void *indices, void *output);

#endif
