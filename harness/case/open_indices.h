/* open_indices.h: whether the indices that a case gives leave something open: indices out of range, several updates of one
 * target. */
#ifndef CASE_OPEN_INDICES_H
#define CASE_OPEN_INDICES_H

#include "harness/case/testcase.h"

/* Where a case tests no rule, but its given indices leave something open: makes it a case of the rule about that. */
void open_indices_find(struct testcase *c);

#endif
