/* attending.h: attention with several heads. */
#ifndef ATTENDING_H
#define ATTENDING_H

#include "device/common/descriptor.h"

/* Runs an operator that attention_computes(). Pointers are to the tensors' first elements, null for absent ones. */
void attention_run(const struct descriptor *descriptor, const char *const *inputs, char *const *outputs);

#endif
