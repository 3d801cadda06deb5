/* move.h: operators whose output elements are a fill value, or copies of input elements at coordinates that attributes
 * alone decide: slices, joins, splits, tiles, paddings, blocks. */
#ifndef MOVE_H
#define MOVE_H

#include "device/common/descriptor.h"

/* Runs the operator. `inputs` and `outputs`: the tensors in memory, in the order of the descriptor's. */
void move_run(const struct descriptor *descriptor, const void *const *inputs, void *const *outputs);

#endif
