/* json_elements.h: the elements that a JSON file gives of a tensor or buffer, in the forms of DxDispatch's `initialValues`:
 *
 *     [1, 2.5, "nan", "-inf", "0x7fc00001"]                 one by one; a text of hexadecimal digits gives the bits
 *     {"value": 0, "valueCount": 6}                         one value
 *     {"valueStart": 0, "valueDelta": 2, "valueCount": 6}   a sequence, in the arithmetic of the type
 *     {"sourcePath": "input.npy"}                           a file: .npy, or anything else as bytes
 *     [{"type": "UINT32", "value": 1}, …]                   of several types, where the type is UNKNOWN */
#ifndef BASE_JSON_ELEMENTS_H
#define BASE_JSON_ELEMENTS_H

#include "harness/base/json_cursor.h"

struct json_elements {
    unsigned type; /* DML_TENSOR_DATA_TYPE; UNKNOWN: of several */
    uint64_t size; /* bytes */
    uint8_t *data; /* freed by the caller */
};

/* `type` is that which is wanted, UNKNOWN if the values say it themselves. At most 4 GiB. */
int json_elements_read(const struct json_cursor *cursor, unsigned type, struct json_elements *out, struct error *error);

/* A data type by its documented name, with or without the prefix. */
int json_data_type_read(const struct json_cursor *cursor, unsigned *out, struct error *error);

/* An element as JSON that json_elements_read() makes the same bits of. Null: no memory. */
json_t *json_element_write(unsigned type, const void *at);

#endif
