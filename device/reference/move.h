/* move.h: operators whose output elements are copies of input elements at places that attributes alone decide, or a
 * fill value: slices, joins, splits, tiles, paddings, blocks. */
#ifndef MOVE_H
#define MOVE_H

#include "device/common/descriptor.h"

/* `inputs` and `outputs`: the tensors in memory, in the order of the descriptor's. */
void move_run(const struct descriptor *descriptor, const void *const *inputs, void *const *outputs);

#endif
