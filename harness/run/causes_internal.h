/* causes_internal.h: what the files that group failures share. */
#ifndef RUN_CAUSES_INTERNAL_H
#define RUN_CAUSES_INTERNAL_H

#include "harness/run/causes.h"

/* Fills in `where` and `such`: the smallest set of properties, as case names tell them, that all cases in the group have
 * and few others. `in` is true for the cases of the group. */
void causes_separate(struct cause_group *group, const struct cause_case *cases, const bool *in, size_t count);

#endif
