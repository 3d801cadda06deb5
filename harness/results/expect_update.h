/* expect_update.h: an expectation file, brought up to what happened in a run. */
#ifndef RESULTS_EXPECT_UPDATE_H
#define RESULTS_EXPECT_UPDATE_H

#include "harness/results/expect_results.h"

#include <stdio.h>

struct expect_changes {
    size_t kept, changed, removed, added; /* expectations */
    size_t partial; /* of the kept ones: those that do not fit, but of which cases are not in the run */
};

/* Writes the lines of the one file that `expect` was loaded from, in order, so that the run would be as expected: what
 * is about other devices, and what fits, stays as it is. What passes now goes; a line of which all cases still fail, but
 * otherwise, gets their statuses; one of which some still fail becomes lines about these, with its reason. What failed
 * without an expectation is added at the end, with a reason that begins with EXPECT_NEW. `plan` is the whole plan, that
 * of the run's arrays. */
void expect_update(struct expect *expect, const struct expect_run *run, const struct plan *plan, FILE *out,
                   struct expect_changes *changes);

#endif
