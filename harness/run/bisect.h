/* bisect.h: finds which of the cases that run before a case make it fail. */
#ifndef RUN_BISECT_H
#define RUN_BISECT_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Runs these cases in this order, then the case in question. Sets `*fails` to true if the case in question fails.
 * Returns 0, or an exit status that ends the search. */
typedef int (*bisect_try)(void *context, const uint32_t *before, size_t count, bool *fails, struct error *error);

/* Reduces `before` to the cases that are needed to make the case fail, in order. It must fail after all of `before` and
 * pass alone. Each case found is the last one of the shortest prefix that makes it fail together with those found
 * already. If adding cases never makes a failing sequence pass, all cases found are needed; in any case the case failed
 * after exactly these. The search takes about log2(count) tries for each case found. If there are thousands of cases,
 * it first leaves out most of them, in tries that together run some times as many cases. Calls `found`, unless it is
 * null, for each one, the last one first. Returns 0, or the status of the try that ended the search. */
int bisect(uint32_t *before, size_t *count, bisect_try try, void (*found)(void *context, uint32_t one), void *context,
           struct error *error);

#endif
