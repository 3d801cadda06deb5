/* descriptor.h: reads and validates a documented operator description.
 *
 * The validation is written by hand from the operator pages and this project's rulings. It shares no code with the
 * rules in specs/, so each can be checked against the other. */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include "device/dml.h"

#include <stddef.h>

enum {
    DESCRIPTOR_MAX_DIMENSIONS = DML_TENSOR_DIMENSION_COUNT_MAX1,
    DESCRIPTOR_MAX_INPUTS = 3,
    DESCRIPTOR_MAX_OUTPUTS = 2
};

/* A validated tensor. Strides are always set: to packed, row-major ones if the description has none. */
struct tensor {
    DML_TENSOR_DATA_TYPE type;
    uint32_t element_size; /* bytes: 1, 2, 4 or 8 */
    uint32_t rank;         /* DimensionCount, 1 to 8 */
    uint32_t sizes[DESCRIPTOR_MAX_DIMENSIONS];
    uint32_t strides[DESCRIPTOR_MAX_DIMENSIONS]; /* in elements; 0: broadcast */
    uint64_t count;                              /* product of sizes */
    uint64_t bytes;                              /* TotalTensorSizeInBytes */
    int packed;                                  /* strides are the packed ones, except in dimensions of size 1 */
    uint32_t alignment;                          /* GuaranteedBaseOffsetAlignment */
};

/* A validated operator. Tensors are in the order of the documented struct's fields. Attributes that the operator does
 * not have are 0. */
struct descriptor {
    DML_OPERATOR_TYPE type;
    uint32_t input_count, output_count;
    struct tensor inputs[DESCRIPTOR_MAX_INPUTS];   /* input, indices, updates */
    struct tensor outputs[DESCRIPTOR_MAX_OUTPUTS]; /* output; or count, coordinates */
    uint32_t axis;
    uint32_t index_dimensions;        /* IndexDimensions of GATHER */
    uint32_t input_dimension_count;   /* P of the ND operators */
    uint32_t indices_dimension_count; /* Q */
    uint32_t batch_dimension_count;   /* B */
};

/* Validates `desc` by the tables of feature level `level`, and fills in `out`, which keeps no pointer into `desc`.
 *
 * Returns E_INVALIDARG if the description breaks a rule, with a sentence in `message` that names the field, what was
 * found and what was expected. Returns DXGI_ERROR_UNSUPPORTED if the operator exists but is not one of the seven read
 * here. `out` is valid only if S_OK is returned. Null pointers anywhere in `desc`, and a null `message`, are allowed.
 * No arithmetic overflows. */
HRESULT descriptor_read(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, struct descriptor *out, char *message,
                        size_t message_size);

/* Bytes of one element; 0 if the type is unknown or has no whole number of bytes. */
uint32_t descriptor_element_size(DML_TENSOR_DATA_TYPE type);

#endif
