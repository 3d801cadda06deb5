/* softmax_quick.h: SOFTMAX of a slice in FLOAT32, where less exact steps are known to give the same elements. */
#ifndef SOFTMAX_QUICK_H
#define SOFTMAX_QUICK_H

#include "device/common/descriptor.h"

/* `from`: elements that lie next to each other, as their parts do in `to`, which may be the same memory. `space` has
 * room for two numbers of each. Returns 0 if a part may be another when powers are exact to a unit in the last place of
 * a double, and added up in their order; then `to` is undefined, unless it is the same memory, which is left. */
int softmax_quick(const struct tensor *output, const char *from, uint64_t count, double *space, char *to);

#endif
