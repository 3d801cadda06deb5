/* resample.h: UPSAMPLE_2D, RESAMPLE, its successors and their gradients. */
#ifndef RESAMPLE_H
#define RESAMPLE_H

#include "device/common/descriptor.h"

int resample_computes(DML_OPERATOR_TYPE type);

/* Runs an operator that resample_computes(). Pointers are to the tensors' first elements. */
void resample_run(const struct descriptor *descriptor, const char *input, char *output);

#endif
