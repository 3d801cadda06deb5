/* desc_json.h: an operator's description in JSON, as DxDispatch has it: "type" and "desc", with the documented names
 * of fields and enumerations.
 *
 *     "type": "DML_OPERATOR_GATHER", "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [4]}, …, "Axis": 0}
 *
 * Prefixes of enumerations may be left out, and of a tensor: Type, Flags, DimensionCount, Strides,
 * TotalTensorSizeInBytes (as small as it may be), GuaranteedBaseOffsetAlignment. A tensor may stand in a Desc of its
 * own beside its Type. What is not legal can be said, too: null for a tensor or its Sizes, numbers for enumerations. */
#ifndef SPEC_DESC_JSON_H
#define SPEC_DESC_JSON_H

#include "harness/base/json_cursor.h"
#include "harness/spec/load.h"

/* Reads "type" and "desc" (or "Type", "Desc") of the object at `place`. `desc->op` says which operator it is. */
int desc_json_read(const struct json_cursor *cursor, const struct spec_set *specs, struct opdesc *desc,
                   struct error *error);

/* Sets "type" and "desc" of an object. False: no memory. */
bool desc_json_write(json_t *object, const struct spec *spec, const struct opdesc *desc);

/* What in a description DxDispatch's models have no words for, null: nothing. */
const char *desc_json_beyond(const struct spec *spec, const struct opdesc *desc);

#endif
