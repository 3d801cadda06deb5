/* tensor_json.h: a tensor of a description in JSON, see desc_json.h. */
#ifndef DESCRIBE_TENSOR_JSON_H
#define DESCRIBE_TENSOR_JSON_H

#include "harness/base/json_cursor.h"
#include "harness/spec/opdesc.h"

/* Returns 0 or EXIT_HARNESS. */
int tensor_json_read(const struct json_cursor *cursor, struct opdesc_tensor *t, struct error *error);

/* The caller owns the result. Null: out of memory. */
json_t *tensor_json_write(const struct opdesc_tensor *t);

#endif
