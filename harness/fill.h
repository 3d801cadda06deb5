/* fill.h: the elements of a case's inputs: a function of (case seed, tensor, element), the same everywhere. */
#ifndef FILL_H
#define FILL_H

#include "harness/testcase.h"

#include <stdint.h>
#include <string.h>

/* Fills the `bytes` of tensor `field` at `memory`: its elements as the case says, everything between and after them with
 * other bytes. */
void fill_input(const struct testcase *c, uint64_t seed, int field, uint8_t *memory, uint64_t bytes);

/* Whether the input is an index tensor. */
bool fill_is_index(const struct spec *spec, int field);

/* Whether the data types have as many values as the data inputs together have elements: what FILL_DISTINCT needs. */
bool fill_can_be_distinct(const struct testcase *c);

/* Elements given in the case, row-major over the logical coordinates, `bytes` set to 0 elsewhere. */
void fill_literal(const struct testcase *c, int field, uint8_t *memory);

/* Calls `visit` for each element in row-major order of the logical coordinates with its number, its coordinates, and its
 * offset in elements; stops early when that returns false. */
typedef bool (*fill_visit)(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset);
void fill_each(const struct opdesc_tensor *t, fill_visit visit, void *context);

/* Elements with numbers in a row that lie evenly in memory. */
struct fill_row {
    uint64_t number, offset; /* of the first, in elements */
    uint64_t count, step;    /* how many; from one to the next, in elements */
};

/* The same by rows as long as can be, for whom coordinates do not matter: a packed tensor is one. */
typedef bool (*fill_visit_row)(void *context, const struct fill_row *row);
void fill_rows(const struct opdesc_tensor *t, fill_visit_row visit, void *context);

/* Writes the lowest `bytes` of `bits`: 1, 2, 4 or 8. */
static inline void fill_put(uint8_t *at, uint64_t bits, size_t bytes)
{
    switch (bytes) {
    case 1:
        *at = (uint8_t)bits;
        break;
    case 2:
        memcpy(at, &bits, 2);
        break;
    case 4:
        memcpy(at, &bits, 4);
        break;
    default:
        memcpy(at, &bits, 8);
    }
}

#endif
