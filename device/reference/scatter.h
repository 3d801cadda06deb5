/* scatter.h: SCATTER_ELEMENTS and SCATTER_ND.
 *
 * The output becomes a copy of the input. Then updates are written in row-major order, so the last update of an element
 * wins. An update with an index out of range is ignored. */
#ifndef SCATTER_H
#define SCATTER_H

#include "device/reference/walk.h"

struct scatter {
    struct walk copy, updates;
};

void scatter_init(struct scatter *scatter, const struct descriptor *descriptor);

/* Runs the scatter. Pointers are to the tensors' first elements. */
void scatter_run(const struct scatter *scatter, const void *input, const void *indices, const void *updates,
                 void *output);

#endif
