/* row_eight.h: adds up eight rows of FLOAT32 side by side, each in its order, in a register of AVX-512. */
#ifndef ROW_EIGHT_H
#define ROW_EIGHT_H

#include "device/reference/row.h"

/* Does the same as row_add_up() with elements that lie next to each other. Returns the number of elements of each row
 * that were added: all but fewer than eight; 0 if the processor has no such registers. */
uint64_t row_eight(const char *const from[ROW_LANES], uint64_t count, enum row_term term, const double means[ROW_LANES],
                   double sums[ROW_LANES]);

#endif
