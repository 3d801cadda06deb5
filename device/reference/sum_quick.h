/* sum_quick.h: sums of FLOAT32 elements in any order, with bounds of the sum in their order. */
#ifndef SUM_QUICK_H
#define SUM_QUICK_H

#include "device/reference/row.h"

struct sum_bounds {
    double least, most;
};

/* Returns bounds of the sum that row_add_up() computes from 0 and a row of elements that lie next to each other. */
struct sum_bounds sum_quick(const char *from, uint64_t count, enum row_term term);

#endif
