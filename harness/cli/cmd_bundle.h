/* cmd_bundle.h: the parts of `assay bundle`. */
#ifndef CLI_CMD_BUNDLE_H
#define CLI_CMD_BUNDLE_H

#include "harness/cli/cmd.h"
#include "harness/results/bundle.h"

/* The settings of a run of a bundle's sample. */
struct cmd_bundle_rerun {
    const char *device;
    const struct word_list *allow;
    uint64_t count, seed;
};

/* Runs a sample of the bundle's cases on a device, and prints a line for each verdict that differs here. Sets `differ`
 * to the number of these verdicts, with cases of the bundle that this suite lacks. */
int cmd_bundle_rerun(const struct bundle *bundle, const struct cmd_bundle_rerun *how, uint64_t *differ,
                     struct error *error);

#endif
