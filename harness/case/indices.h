/* indices.h: what index tensors hold, and where their indices point. */
#ifndef CASE_INDICES_H
#define CASE_INDICES_H

#include "harness/case/testcase.h"

#include <stdint.h>

/* Fills index tensor `field` as the case says. False: it is no index tensor. */
bool indices_fill(const struct testcase *c, uint64_t key, int field, uint8_t *memory);

/* One index, as it stands in the tensor. */
struct index_place {
    void *at;           /* its bytes */
    uint32_t data_type; /* of the tensor */
    int64_t size;       /* of the dimension that it points into */
    int64_t value;      /* of unsigned types too; UINT64 above INT64_MAX: negative, and not in range */
    bool in_range;
    uint64_t tuple;     /* number of its tuple, row-major */
    uint32_t component; /* of the tuple */
    uint64_t line;      /* indices of other lines never have the same target; number of the line */
};

/* Calls `visit` for each index of tensor `field` in row-major order. */
void indices_each(const struct testcase *c, int field, uint8_t *memory,
                  void (*visit)(void *context, const struct index_place *place), void *context);

void indices_set(const struct index_place *place, int64_t value);

/* Makes the index point nowhere, whatever the size. */
void indices_set_invalid(const struct index_place *place);

/* Whether the case's index tensors can hold what it asks for: duplicates need two tuples that may have one target,
 * indices out of range a dimension of a size above 1 and memory of their own. */
bool indices_possible(const struct testcase *c);

/* Whether the filling leaves the range, or repeats a target. */
bool indices_out_of_range(enum index_fill fill);

/* How many times at most one target is repeated. */
enum { INDICES_REPEATS = 16 };

#endif
