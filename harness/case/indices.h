/* indices.h: the contents of index tensors, and the targets of their indices. */
#ifndef CASE_INDICES_H
#define CASE_INDICES_H

#include "harness/case/testcase.h"

#include <stdint.h>

/* Fills index tensor `field` as the case says; `key` chooses the values. An index in range is in range for every
 * coordinate that shares its memory. False: the field is not an index tensor. */
bool indices_fill(const struct testcase *c, uint64_t key, int field, uint8_t *memory);

/* One index in an index tensor. */
struct index_place {
    uint8_t *memory;    /* of the tensor */
    uint64_t offset;    /* counts elements */
    uint32_t data_type; /* of the tensor */
    int64_t size;       /* of the dimension that it points into */
    int64_t value;      /* a UINT64 above INT64_MAX is negative here, and out of range */
    bool in_range;
    uint64_t tuple;     /* number of its tuple, row-major */
    uint32_t component; /* its position in the tuple */
    uint64_t line;      /* number of its line; indices of different lines never have the same target */
};

/* Calls `visit` for each index of tensor `field`, in row-major order. */
void indices_each(const struct testcase *c, int field, uint8_t *memory,
                  void (*visit)(void *context, const struct index_place *place), void *context);

/* Overwrites the index. */
void indices_set(const struct index_place *place, int64_t value);

/* Overwrites the index with one that is out of range for every size. */
void indices_set_invalid(const struct index_place *place);

/* Returns true if the index tensors can hold the indices that the case asks for. Duplicates need two tuples that may
 * have the same target; indices out of range need a dimension of a size above 1. Both need elements that do not share
 * memory, as do tuples that must have different targets. */
bool indices_possible(const struct testcase *c);

/* Returns true if some indices of the fill are out of range. */
bool indices_out_of_range(enum index_fill fill);

/* The largest number of tuples that INDEX_DUPLICATES points to one target. */
enum { INDICES_REPEATS = 16 };

#endif
