/* softmax_quick.h: SOFTMAX of a slice in FLOAT32, where less exact steps are known to give the same elements. */
#ifndef SOFTMAX_QUICK_H
#define SOFTMAX_QUICK_H

#include <stdint.h>

/* `from`: elements that lie next to each other. Returns their parts, in `space`, which has room for two numbers of
 * each. Null: a part may be another if powers are exact to a unit in the last place of a double, and added up in their
 * order. */
const float *softmax_quick(const char *from, uint64_t count, double *space);

#endif
