/* descriptor.h: reads and validates a documented operator description.
 *
 * The validation is written from the operator pages and this project's rulings, on its own: it shares nothing with the
 * rules in specs/, so that each can be held against the other. */
#ifndef DESCRIPTOR_H
#define DESCRIPTOR_H

#include "device/dml.h"

#include <stddef.h>

enum {
    DESCRIPTOR_MAX_DIMENSIONS = DML_TENSOR_DIMENSION_COUNT_MAX1,
    DESCRIPTOR_MAX_INPUTS = 3,
    DESCRIPTOR_MAX_OUTPUTS = 2
};

/* A validated tensor. Strides are always there: packed, row-major ones where the description has none. */
struct tensor {
    DML_TENSOR_DATA_TYPE type;
    uint32_t element_size; /* bytes: 1, 2, 4 or 8 */
    uint32_t rank;         /* DimensionCount, 1 to 8 */
    uint32_t sizes[DESCRIPTOR_MAX_DIMENSIONS];
    uint32_t strides[DESCRIPTOR_MAX_DIMENSIONS]; /* in elements; 0: broadcast */
    uint64_t count;                              /* product of sizes */
    uint64_t bytes;                              /* TotalTensorSizeInBytes */
    int packed;                                  /* strides are the packed ones (dimensions of size 1 aside) */
};

/* A validated operator. Tensors stand in the order of the documented struct's fields; attributes that an operator does
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

/* Validates `desc` as a device whose highest feature level is `level` must, and fills in `out`.
 *
 * Returns S_OK; E_INVALIDARG with a sentence in `message` (which rule, which tensor, found and expected) when a rule is
 * broken; DXGI_ERROR_UNSUPPORTED when the operator exists but is not one of those read here. Never follows a null
 * pointer, never overflows. `message` may be null. */
HRESULT descriptor_read(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, struct descriptor *out, char *message,
                        size_t message_size);

/* Size in bytes of one element; 0 for types that are not whole bytes or not known. */
uint32_t descriptor_element_size(DML_TENSOR_DATA_TYPE type);

#endif
