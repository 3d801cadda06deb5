/* cmd_devices.h: the findings of `assay devices` about one device; shared by the cmd_devices*.c files. */
#ifndef CLI_CMD_DEVICES_H
#define CLI_CMD_DEVICES_H

#include "harness/run/probe.h"
#include "harness/worker/wire.h"

struct cmd_devices_answer {
    const char *device;      /* as given by the user */
    bool open;               /* if not, hello.message says why */
    bool probed;             /* `probe` is filled in */
    struct wire_hello hello; /* the report of the device */
    struct probe probe;      /* the results of trying it */
};

/* Prints one device as an entry of a JSON array; `first`: without a comma before it. */

void cmd_devices_json(const struct cmd_devices_answer *answer, const struct spec_set *specs, bool first);

#endif
