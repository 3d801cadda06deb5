/* call_script.h: runs the steps of HOST_STEPS and HOST_REPEAT. */
#ifndef HOST_CALL_SCRIPT_H
#define HOST_CALL_SCRIPT_H

#include "harness/host/exchange.h"

/* Runs a step on a device, and stores the answer. Devices and objects that a sequence does not destroy stay until the
 * process ends. Returns false if the call, or an item of a dispatch, failed. */
bool script_step(const struct plugin *plugin, struct exchange *exchange, uint32_t index);

/* Do the same for `count` steps that run repeatedly, between start and end: each run finds the descriptions as they
 * were before, and nothing is measured until the end. Start returns false if memory runs out. */
bool script_repeat_start(const struct exchange *exchange, uint32_t count);
bool script_repeat_step(const struct plugin *plugin, struct exchange *exchange, uint32_t index);
void script_repeat_end(struct exchange *exchange, uint32_t count);

#endif
