/* cmd_expect.h: the parts of the command expect. */
#ifndef CLI_CMD_EXPECT_H
#define CLI_CMD_EXPECT_H

#include "harness/cli/cmd.h"

/* Prints which cases of run `id`, or of each device of the last `assay run` if `id` is 0, did not end as the files say,
 * and which lines are stale. EXIT_FAILURES if there are any; EXIT_USAGE: a run is a shard. */
int cmd_expect_check(const struct cmd_source *source, const char *const *files, size_t count, const char *database,
                     int64_t id, struct error *error);

#endif
