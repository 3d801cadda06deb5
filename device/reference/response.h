/* response.h: LOCAL_RESPONSE_NORMALIZATION, its gradient, and VALUE_SCALE_2D: pictures {N, C, H, W}. */
#ifndef RESPONSE_H
#define RESPONSE_H

#include "device/common/descriptor.h"

/* Pointers are to the tensors' first elements. */
typedef void response_kernel(const struct descriptor *descriptor, const char *const *inputs, char *output);

/* Null: not such an operator. */
response_kernel *response_kernel_of(DML_OPERATOR_TYPE type);

#endif
