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

/* The elements that a tensor needs. */
struct json_wanted {
    uint64_t count;
    bool fewer;                    /* fewer elements are allowed: the tensor has rows up to a count */
    uint32_t dims;                 /* dimensions of the tensor */
    const uint32_t *sizes;         /* sizes that a .npy must have, unless it has one dimension */
    const struct word_list *allow; /* for json_cursor_path_beside(), which finds files */
};

struct json_elements {
    unsigned type;                    /* DML_TENSOR_DATA_TYPE; UNKNOWN: mixed types or raw bytes */
    uint64_t size;                    /* bytes */
    uint64_t count;                   /* number of elements; 0 for mixed types and raw bytes */
    uint8_t *data;                    /* the caller frees it */
    const struct json_wanted *wanted; /* the caller's `wanted` while elements are read; null afterwards */
};

/* Reads elements of `type`, or with UNKNOWN elements that name their own types. With `wanted` (may be null) another
 * number of elements is an error, found before memory is allocated for them, and so is a .npy of another shape or a raw
 * file of another size. Values in the JSON file may have at most 4 GiB. A float rounds once; a number out of range is
 * an error. Returns 0, or EXIT_HARNESS with no data to free. */
int json_elements_read(const struct json_cursor *cursor, unsigned type, const struct json_wanted *wanted,
                       struct json_elements *out, struct error *error);

/* Reads a finite number. Returns 0 or EXIT_HARNESS. */
int json_number_read(const struct json_cursor *cursor, double *out, struct error *error);

/* Reads the documented name of a data type, with or without the prefix. Returns 0 or EXIT_HARNESS. */
int json_data_type_read(const struct json_cursor *cursor, unsigned *out, struct error *error);

/* Returns one element as JSON from which json_elements_read() reads the same bits. The caller owns the result. Null:
 * out of memory. */
json_t *json_element_write(unsigned type, const void *at);

#endif
