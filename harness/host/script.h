/* script.h: runs the steps of HOST_STEPS. */
#ifndef HOST_SCRIPT_H
#define HOST_SCRIPT_H

#include "harness/host/exchange.h"

/* Runs a step on a device, and answers. `arguments` are those of the device. Devices and objects that a sequence leaves
 * behind stay until the process ends. */
void script_step(const struct plugin *plugin, struct exchange *exchange, uint32_t index);

#endif
