/* cmd_bundle.h: the parts of `assay bundle`. */
#ifndef CLI_CMD_BUNDLE_H
#define CLI_CMD_BUNDLE_H

#include "harness/cli/cmd.h"
#include "harness/results/bundle.h"

/* How a sample of a bundle is run again. */
struct cmd_bundle_rerun {
    const char *device;
    const struct word_list *allow;
    uint64_t count, seed;
};

/* Runs a sample of the bundle's cases on a device, and prints a line for each verdict that is another one here. Sets
 * how many there are, cases of the bundle that this suite lacks included. */
int cmd_bundle_rerun(const struct bundle *bundle, const struct cmd_bundle_rerun *how, uint64_t *differ,
                     struct error *error);

#endif
