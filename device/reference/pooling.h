/* pooling.h: MAX_POOLING, AVERAGE_POOLING, LP_POOLING and their successors. */
#ifndef POOLING_H
#define POOLING_H

#include "device/common/descriptor.h"

/* Runs an operator. Pointers are to the tensors' first elements; null: the tensor is absent. */
typedef void pooling_kernel(const struct descriptor *descriptor, const char *const *inputs, char *const *outputs);

/* Returns the kernel of an operator; null if it is no pooling. */
pooling_kernel *pooling_kernel_of(DML_OPERATOR_TYPE type);

#endif
