/* json_elements.h: elements of a tensor or buffer in a JSON file, in the forms of DxDispatch's `initialValues`:
 *
 *     [1, 2.5, "nan", "-inf", "0x7fc00001"]                 one by one; a hexadecimal text gives the bits
 *     {"value": 0, "valueCount": 6}                         one value
 *     {"valueStart": 0, "valueDelta": 2, "valueCount": 6}   a sequence, computed in the type
 *     {"sourcePath": "input.npy"}                           a file: .npy, or any other as raw bytes
 *     [{"type": "UINT32", "value": 1}, …]                   mixed types, if the type is UNKNOWN */
#ifndef BASE_JSON_ELEMENTS_H
#define BASE_JSON_ELEMENTS_H

#include "harness/base/json_cursor.h"

struct json_elements {
    unsigned type; /* DML_TENSOR_DATA_TYPE; UNKNOWN: mixed types or raw bytes */
    uint64_t size; /* bytes */
    uint8_t *data; /* freed by the caller */
};

/* Reads elements of `type`, or with UNKNOWN elements that name their own types. Values in the JSON file may have at
 * most 4 GiB. Returns 0, or EXIT_HARNESS with no data to free. */
int json_elements_read(const struct json_cursor *cursor, unsigned type, struct json_elements *out, struct error *error);

/* Reads the documented name of a data type, with or without the prefix. Returns 0 or EXIT_HARNESS. */
int json_data_type_read(const struct json_cursor *cursor, unsigned *out, struct error *error);

/* Writes one element of at least 8 bits so that json_elements_read() gives back the same bits. The caller owns the
 * result. Null: out of memory. */
json_t *json_element_write(unsigned type, const void *at);

#endif
