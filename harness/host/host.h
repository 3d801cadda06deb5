/* host.h: the process that a device runs in. It has the device, the exchange, and the memory of tensors. Inputs are not
 * writable here; expected outputs, the judge and its results are in other processes. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include "harness/host/open_device.h"

struct host_config {
    /* Opens the device, as plugin_load() does. */
    int (*open)(void *context, struct plugin *plugin, const char *path, const char *arguments, struct error *error);
    void *context;
    char *const *builtin; /* the command that HOST_BUILTIN executes; null: this process was executed by it */
};

/* The exit status of the device's process if its judge ended first. A device can exit with it, too: the harness looks
 * at the judge before it believes that. */
enum { HOST_ORPHANED = 113 };

/* Serves the judge until it asks to close the device or is gone. Returns an exit status. */
int host_main(const struct host_config *config);

#endif
