/* describe.h: an operator as JSON, in the documented names; README.md describes it. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "device/common/descriptor.h"

#include <jansson.h>

/* The description `desc`, and its tensors as `descriptor` has them: it has been read from `desc`. If `packed`, tensors
 * have no strides, and no bytes beyond their elements. The caller frees the result with json_decref(). Null: no
 * memory. */
json_t *describe_operator(const DML_OPERATOR_DESC *desc, const struct descriptor *descriptor, int packed);

/* The documented name of a data type, or null. */
const char *describe_type(DML_TENSOR_DATA_TYPE type);

/* The data type with this name, or -1. `name` may be null. */
int describe_find_type(const char *name);

/* The operator type with this name, or 0. */
uint32_t describe_find_operator(const char *name);

int describe_is_tensor(const struct catalogue_field *field);
int describe_is_output(const struct catalogue_field *field);

/* How many tensors of the descriptor a member has. An absent tensor counts. */
uint32_t describe_tensor_count(const struct catalogue_operator *op, const struct catalogue_field *field,
                               const void *desc);

#endif
