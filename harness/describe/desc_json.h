/* desc_json.h: an operator description in DxDispatch's JSON form: "type" and "desc", with the documented names
 * of fields and enumerations.
 *
 *     "type": "DML_OPERATOR_GATHER", "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [4]}, …, "Axis": 0}
 *
 * The prefixes of enumerations are optional, and so are these members of a tensor: Type, Flags, DimensionCount,
 * Strides, TotalTensorSizeInBytes (default: the least that is legal) and GuaranteedBaseOffsetAlignment. A tensor may
 * have its members in a Desc of its own beside Type. The form also has descriptions that are not legal: null for a
 * tensor or its Sizes, numbers for enumerations. */
#ifndef DESCRIBE_DESC_JSON_H
#define DESCRIBE_DESC_JSON_H

#include "harness/base/json_cursor.h"
#include "harness/spec/spec_set.h"

/* Returns the operator that an object names; -1: this version has none of that name. Stores the name without prefix;
 * null: the object names none. */
int desc_json_operator(const json_t *object, const struct spec_set *specs, const char **name);

/* Reads "type" and "desc" (or "Type" and "Desc") of an object, and sets `desc->op`, too. Returns 0 or EXIT_HARNESS. */
int desc_json_read(const struct json_cursor *cursor, const struct spec_set *specs, struct opdesc *desc,
                   struct error *error);

/* Sets "type" and "desc" of an object. Returns false if memory runs out. */
bool desc_json_write(json_t *object, const struct spec *spec, const struct opdesc *desc);

/* Returns the name of a part of the description that DxDispatch's models cannot express; null if they can express all
 * of it, once members that are null are left out. */
const char *desc_json_beyond(const struct spec *spec, const struct opdesc *desc);

#endif
