/* unfold.h: UNFOLD, which makes a column of every window in a picture, and FOLD, which adds columns up. */
#ifndef UNFOLD_H
#define UNFOLD_H

#include "device/common/descriptor.h"

int unfold_computes(DML_OPERATOR_TYPE type);

/* Runs the operator. Pointers are to the tensors' first elements. */
void unfold_run(const struct descriptor *descriptor, const void *input, void *output);

#endif
