/* describe.h: an operator as JSON, in the documented names; README.md describes it. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "device/common/descriptor.h"

#include <jansson.h>

/* Returns the description `desc`, and the tensors of `descriptor`, which has been read from `desc`. If `packed`,
 * tensors have no strides, and no bytes beyond their elements. The caller frees the result with json_decref(). Returns
 * null if there is no memory. */
json_t *describe_operator(const DML_OPERATOR_DESC *desc, const struct descriptor *descriptor, int packed);

/* Returns the documented name of a data type, or null. */
const char *describe_type(DML_TENSOR_DATA_TYPE type);

/* Returns the data type with this name, or -1. `name` may be null. */
int describe_find_type(const char *name);

/* Returns the operator type with this name, or 0. */
uint32_t describe_find_operator(const char *name);

int describe_is_tensor(const struct catalogue_field *field);
int describe_is_output(const struct catalogue_field *field);

/* Returns the number of the descriptor's tensors that belong to a member. An absent tensor counts. */
uint32_t describe_tensor_count(const struct catalogue_operator *op, const struct catalogue_field *field,
                               const void *desc);

#endif
