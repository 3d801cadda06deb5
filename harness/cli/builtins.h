/* builtins.h: the devices that are part of the program, not shared libraries. */
#ifndef CLI_BUILTINS_H
#define CLI_BUILTINS_H

#include "harness/trial/plugin.h"

/* All of them, for plugin_open(); ended by null. */
extern const struct builtin_device *const builtins[];

#endif
