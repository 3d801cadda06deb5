/* call_script.h: runs the steps of HOST_STEPS and HOST_REPEAT. */
#ifndef HOST_CALL_SCRIPT_H
#define HOST_CALL_SCRIPT_H

#include "harness/host/exchange.h"

/* Runs a step on a device, and answers. Devices and objects that a sequence leaves behind stay until the process ends.
 * False: the call, or an item of a dispatch, failed. */
bool script_step(const struct plugin *plugin, struct exchange *exchange, uint32_t index);

/* The same where `count` steps are run again and again, between start and end: the description of a step is as it was
 * before each run, and nothing is measured until the end. False: no memory. */
bool script_repeat_start(const struct exchange *exchange, uint32_t count);
bool script_repeat_step(const struct plugin *plugin, struct exchange *exchange, uint32_t index);
void script_repeat_end(struct exchange *exchange, uint32_t count);

#endif
