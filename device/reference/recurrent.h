/* recurrent.h: recurrent networks. */
#ifndef RECURRENT_H
#define RECURRENT_H

#include "device/common/descriptor.h"

/* Runs an operator that recurrence_computes(). Pointers are to the tensors' first elements, null for absent ones. */
void recurrent_run(const struct descriptor *descriptor, const char *const *inputs, char *const *outputs);

#endif
