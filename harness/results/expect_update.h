/* expect_update.h: updates an expectation file to the results of a run. */
#ifndef RESULTS_EXPECT_UPDATE_H
#define RESULTS_EXPECT_UPDATE_H

#include "harness/results/expect_results.h"

#include <stdio.h>

struct expect_changes {
    size_t kept, changed, removed, added; /* numbers of expectations */
    size_t passing;                       /* cases that pass and that new lines match, which also expect a pass */
    size_t partial; /* kept although they do not fit, since some of their cases are not in the run */
};

/* Writes the file that `expect` was loaded from to `out`, changed so that the run meets all expectations. Lines that
 * fit, and lines about other devices, stay as they are. A line whose cases all pass now is removed, also if it
 * expects a pass, unless it is about a single case. A line whose cases all fail, but with other statuses, gets these
 * statuses. A line of which only some cases fail is replaced by lines about those, with the same reason. New
 * failures are added at the end: the patterns of expect_cover_make(), with reasons that begin with EXPECT_NEW.
 * `expect` has one file; `plan` is the whole plan, over which the run's arrays go. */
void expect_update(struct expect *expect, const struct expect_run *run, const struct plan *plan, FILE *out,
                   struct expect_changes *changes);

#endif
