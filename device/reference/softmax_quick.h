/* softmax_quick.h: SOFTMAX of a slice in FLOAT32, by less exact steps if they surely give the same elements. */
#ifndef SOFTMAX_QUICK_H
#define SOFTMAX_QUICK_H

#include "device/common/descriptor.h"

/* Computes a slice. `from`: elements that lie next to each other, as their parts do in `to`, which may be the same
 * memory. `space` has room for two numbers for each element. Returns 0 if a part may differ from the exact one, whose
 * powers are exact to a unit in the last place of a double, and added up in order; then `to` is undefined, unless it is
 * the same memory, which stays unchanged. */
int softmax_quick(const struct tensor *output, const char *from, uint64_t count, double *space, char *to);

#endif
