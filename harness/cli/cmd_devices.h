/* cmd_devices.h: what `assay devices` finds out about one device, shared by the cmd_devices*.c files alone. */
#ifndef CLI_CMD_DEVICES_H
#define CLI_CMD_DEVICES_H

#include "harness/run/probe.h"
#include "harness/worker/wire.h"

struct cmd_devices_answer {
    const char *device;      /* as given */
    bool open;               /* else hello.message says why not */
    bool probed;             /* `probe` is filled in */
    struct wire_hello hello; /* what it says of itself */
    struct probe probe;      /* what it does */
};

void cmd_devices_json(const struct cmd_devices_answer *answer, const struct spec_set *specs, bool first);

#endif
