/* scatter.h: SCATTER_ELEMENTS and SCATTER_ND.
 *
 * The output becomes a copy of the input, then updates are written in row-major order, so that the last of those for
 * one place wins. An update with an index outside its dimension is left out. */
#ifndef SCATTER_H
#define SCATTER_H

#include "device/reference/walk.h"

struct scatter {
    struct walk copy, updates;
};

void scatter_init(struct scatter *scatter, const struct descriptor *descriptor);
void scatter_run(const struct scatter *scatter, const void *input, const void *indices, const void *updates,
                 void *output);

#endif
