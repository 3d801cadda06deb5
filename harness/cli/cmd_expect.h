/* cmd_expect.h: the parts of the command expect. */
#ifndef CLI_CMD_EXPECT_H
#define CLI_CMD_EXPECT_H

#include "harness/cli/cmd.h"
#include "harness/results/expect_results.h"

/* Loads the results, and a plan with their cases and those that the lines match. The plan has the cases of all tiers
 * only if there is need, because that takes long. Free both unless it failed. */
int cmd_expect_load(const struct cmd_source *source, const struct expect *lines, const char *database, int64_t id,
                    struct cmd_plan *plan, struct expect_runs *runs, struct error *error);

/* Prints the cases of run `id`, or of each device of the last `assay run` if `id` is 0, that did not end as the files
 * say, and the stale lines. EXIT_FAILURES if there are any; EXIT_USAGE: a run is a shard. */
int cmd_expect_check(const struct cmd_source *source, const char *const *files, size_t count, const char *database,
                     int64_t id, struct error *error);

#endif
