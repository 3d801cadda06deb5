/* response.h: LOCAL_RESPONSE_NORMALIZATION, its gradient, and VALUE_SCALE_2D: pictures {N, C, H, W}. */
#ifndef RESPONSE_H
#define RESPONSE_H

#include "device/common/descriptor.h"

/* Runs an operator. Pointers are to the tensors' first elements. */
typedef void response_kernel(const struct descriptor *descriptor, const char *const *inputs, char *output);

/* Returns the kernel of an operator; null if it is not one of these. */
response_kernel *response_kernel_of(DML_OPERATOR_TYPE type);

#endif
