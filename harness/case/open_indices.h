/* open_indices.h: finds indices given in a case file that the documents leave open: out of range, or several updates of
 * one target. */
#ifndef CASE_OPEN_INDICES_H
#define CASE_OPEN_INDICES_H

#include "harness/case/testcase.h"

/* If the case tests no rule and its given indices leave something open, makes it test the behaviour about that: sets
 * `rule` and `index_fill`. */
void open_indices_find(struct testcase *c);

#endif
