/* normalise.h: normalisations and their gradients: statistics of slices in double, in two passes, and one rounding of
 * each element. */
#ifndef NORMALISE_H
#define NORMALISE_H

#include "device/common/descriptor.h"

/* Pointers are to the tensors' first elements; null: the tensor is absent. */
typedef void normalise_kernel(const struct descriptor *d, const char *const *inputs, char *const *outputs);

/* Bits of the dimensions that slices are over, of those that have all sizes of the input; of another operator, none. */
uint32_t normalise_axes(const struct descriptor *d);

/* Null: it is no such operator. */
normalise_kernel *normalise_kernel_of(DML_OPERATOR_TYPE type);

#endif
