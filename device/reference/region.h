/* region.h: operators on regions of pictures. */
#ifndef REGION_H
#define REGION_H

#include "device/common/descriptor.h"

int region_computes(DML_OPERATOR_TYPE type);

/* Runs an operator that region_computes(). Pointers are to the tensors' first elements. */
void region_run(const struct descriptor *descriptor, const char *const *in, char *const *out);

#endif
