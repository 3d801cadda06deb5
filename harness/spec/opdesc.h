/* opdesc.h: an operator description as data: a value for each field of its documented struct.
 *
 * Rules check it, generators make it, marshal.h converts it to the documented C structs. It can hold descriptions that
 * are not legal: null pointers, sizes of 0, too many dimensions. */
#ifndef SPEC_OPDESC_H
#define SPEC_OPDESC_H

#include "device/dml.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    OPDESC_MAX_FIELDS = 24,
    OPDESC_MAX_DIMENSIONS = 10 /* more than DML_TENSOR_DIMENSION_COUNT_MAX1, for descriptions that break it */
};

/* A tensor field: a DML_TENSOR_DESC and its DML_BUFFER_TENSOR_DESC. */
struct opdesc_tensor {
    bool present;     /* the DML_TENSOR_DESC pointer is not null */
    bool has_sizes;   /* the Sizes pointer is not null */
    bool has_strides; /* the Strides pointer is not null */
    uint32_t type;    /* DML_TENSOR_TYPE */
    uint32_t data_type;
    uint32_t flags;
    uint32_t dims; /* DimensionCount, at most OPDESC_MAX_DIMENSIONS */
    uint32_t alignment;
    uint64_t total; /* TotalTensorSizeInBytes */
    uint32_t sizes[OPDESC_MAX_DIMENSIONS];
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
};

struct opdesc {
    unsigned op; /* index of the operator's spec in its spec_set */
    union opdesc_field {
        struct opdesc_tensor tensor;
        int64_t number; /* integer kinds */
    } fields[OPDESC_MAX_FIELDS];
};

/* Exact, or INT64_MAX if larger. Without Sizes the first three are 0; the effective rank is DimensionCount without
 * leading sizes of 1. */
int64_t opdesc_elements(const struct opdesc_tensor *t); /* product of the sizes */
int64_t opdesc_extent(const struct opdesc_tensor *t);   /* elements of memory from the first to the last, inclusive */
int64_t opdesc_implied(const struct opdesc_tensor *t);  /* smallest legal TotalTensorSizeInBytes */
uint32_t opdesc_effective_rank(const struct opdesc_tensor *t);

/* Whether two coordinates share an element. Exact, with one bound that keeps it fast: take away, again and again, the
 * dimension of the largest stride if that exceeds the highest offset that the others reach. If what is left has more
 * than 2^22 coordinates without its largest dimension, or reaches beyond 2^60 elements, the answer is true. Up to
 * three such dimensions within 2^32 - 1 elements never come to the bound. A tensor without strides or with a size of
 * 0: false. */
bool opdesc_overlaps(const struct opdesc_tensor *t);

/* The strides in effect: the given ones, or packed row-major. */
void opdesc_strides(const struct opdesc_tensor *t, uint32_t strides[OPDESC_MAX_DIMENSIONS]);

/* Changes DimensionCount and keeps dimensions right-aligned: adds leading sizes of 1, or drops leading sizes. */
void opdesc_resize(struct opdesc_tensor *t, uint32_t dims);

#endif
