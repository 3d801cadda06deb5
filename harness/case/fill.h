/* fill.h: the elements of a case's inputs: a function of (case seed, tensor, element), the same everywhere. */
#ifndef CASE_FILL_H
#define CASE_FILL_H

#include "harness/case/testcase.h"

#include <stdint.h>

/* Fills the `bytes` of tensor `field` at `memory`: its elements as the case says, everything between and after them with
 * other bytes. */
void fill_input(const struct testcase *c, uint64_t seed, int field, uint8_t *memory, uint64_t bytes);

/* Whether the input is an index tensor. */
bool fill_is_index(const struct spec *spec, int field);

/* Whether the data types have as many values as the data inputs together have elements: what FILL_DISTINCT needs. */
bool fill_can_be_distinct(const struct testcase *c);

/* Elements given in the case, row-major over the logical coordinates, `bytes` set to 0 elsewhere. */
void fill_literal(const struct testcase *c, int field, uint8_t *memory);

#endif
