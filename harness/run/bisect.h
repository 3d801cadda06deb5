/* bisect.h: which of the cases before another one make it fail. */
#ifndef RUN_BISECT_H
#define RUN_BISECT_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Says in `fails` whether the case in question fails after these, in this order. Returns 0, or the status of an error,
 * which ends the search. */
typedef int (*bisect_try)(void *context, const uint32_t *before, size_t count, bool *fails, struct error *error);

/* Reduces `before`, after all of which the case fails and after none of which it passes, to those that it takes, in
 * order: each is the last one of the shortest front part that is enough together with those found already. Where more
 * cases never make it pass again, none of them can be left out; in any case it failed after just these. Takes about
 * log2(count) tries for each that is found; `found` is told of it, unless null. */
int bisect(uint32_t *before, size_t *count, bisect_try try, void (*found)(void *context, uint32_t one), void *context,
           struct error *error);

#endif
