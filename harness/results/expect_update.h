/* expect_update.h: updates an expectation file to the results of a run. */
#ifndef RESULTS_EXPECT_UPDATE_H
#define RESULTS_EXPECT_UPDATE_H

#include "harness/results/expect_results.h"

#include <stdio.h>

struct expect_changes {
    size_t kept, changed, removed, added; /* numbers of expectations */
    size_t passing;                       /* cases that pass and that new lines match, which also expect a pass */
    size_t partial; /* lines kept although they do not fit: some of their cases are not in the run */
};

/* Writes a file to `out`, changed so that `count` runs meet all expectations; `changes` has an item for each. Lines
 * that fit, and lines about other devices, stay as they are. A line whose cases all pass now is removed, also if it
 * expects a pass, unless it is about a single case. A line whose cases all fail, but with other statuses, gets these
 * statuses. If only some of its cases fail, lines about those take its place, with the same reason. A line that has to
 * be changed for one device and not for another goes to sections of these devices, with its reason. New failures are
 * added at the end: the patterns of expect_cover_make(), with reasons that begin with EXPECT_NEW.
 *
 * `expects` has `count` items, each loaded from that one file. `plan` is the whole plan, over which the runs' arrays
 * go. count <= EXPECT_RUNS_MAX */
void expect_update(struct expect *expects, const struct expect_run *runs, size_t count, const struct plan *plan,
                   FILE *out, struct expect_changes *changes);

#endif
