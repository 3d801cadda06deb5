/* elements.h: visits the elements of a tensor with any strides. */
#ifndef SPEC_ELEMENTS_H
#define SPEC_ELEMENTS_H

#include "harness/spec/opdesc.h"

#include <stdint.h>

/* Calls `visit` for each element, in row-major order of the logical coordinates, with its number, its coordinates and
 * its offset (counted in elements). Stops when `visit` returns false. */
typedef bool (*elements_visit)(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset);
void elements_each(const struct opdesc_tensor *t, elements_visit visit, void *context);

/* A row of elements at even distances in memory and in number. */
struct element_row {
    uint64_t number, offset; /* number and offset of the first element; the offset counts elements */
    uint64_t count, step;    /* number of elements; distance in offset between neighbours */
    uint64_t apart;          /* distance in number between neighbours */
};

/* Visits rows, as long as possible and without coordinates, for writing. If elements share memory because of strides of
 * 0, only the last one is visited, since its value stays. A packed tensor is one row. */
typedef bool (*elements_visit_row)(void *context, const struct element_row *row);
void elements_rows(const struct opdesc_tensor *t, elements_visit_row visit, void *context);

#endif
