/* grid.h: the contents of an input whose rows have numbers of different kinds, such as the edges of a region. */
#ifndef CASE_GRID_H
#define CASE_GRID_H

#include "harness/case/testcase.h"

/* Fills input `field` as its grid in the spec says, whatever contents the case has; `key` chooses the numbers. False:
 * the field has no grid, or a list of the grid has not an entry for each element of a row. */
bool grid_fill(const struct testcase *c, uint64_t key, int field, uint8_t *memory);

#endif
