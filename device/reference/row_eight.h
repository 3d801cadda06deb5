/* row_eight.h: eight rows of FLOAT32 are added up side by side, each in its order, in a register of AVX-512. */
#ifndef ROW_EIGHT_H
#define ROW_EIGHT_H

#include "device/reference/row.h"

/* What row_add_up() does with elements that lie next to each other. Returns how many of each row were added: all but
 * less than eight; none where there are no such registers. */
uint64_t row_eight(const char *const from[ROW_LANES], uint64_t count, enum row_term term, const double means[ROW_LANES],
                   double sums[ROW_LANES]);

#endif
