/* normalise.h: normalisations and their gradients: statistics of slices in double, in two passes, and one rounding of
 * each element. */
#ifndef NORMALISE_H
#define NORMALISE_H

#include "device/common/descriptor.h"

/* Runs an operator. Pointers are to the tensors' first elements; null: the tensor is absent. */
typedef void normalise_kernel(const struct descriptor *d, const char *const *inputs, char *const *outputs);

/* Returns a bit for each dimension that slices are over, among those with all sizes of the input; 0 for another
 * operator. */
uint32_t normalise_axes(const struct descriptor *d);

/* Returns the kernel of an operator; null if it is no normalisation. */
normalise_kernel *normalise_kernel_of(DML_OPERATOR_TYPE type);

#endif
