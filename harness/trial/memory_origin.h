/* memory_origin.h: finds the origin of the elements of an output. */
#ifndef TRIAL_MEMORY_ORIGIN_H
#define TRIAL_MEMORY_ORIGIN_H

#include "harness/trial/trial.h"

/* Returns the number of elements of output `field` that come from no tensor: they equal neither an element-sized piece
 * of an input, nor zero, nor the old contents of the outputs, nor an interpretation at their place. `first` shows the
 * first one and has the count. Returns 0 if memory runs out. */
uint64_t origin_count_foreign(const struct trial *t, int field, struct wrong *first);

#endif
