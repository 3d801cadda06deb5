/* memory_origin.h: where the elements of an output come from. */
#ifndef TRIAL_MEMORY_ORIGIN_H
#define TRIAL_MEMORY_ORIGIN_H

#include "harness/trial/trial.h"

/* How many elements of output `field` come from no tensor: they equal neither an element-sized piece of an input, nor
 * zero, nor what the outputs held before, nor what an interpretation predicts at their place. `first` shows the first
 * one and has the count. 0 if memory runs out. */
uint64_t origin_count_foreign(const struct trial *t, int field, struct wrong *first);

#endif
