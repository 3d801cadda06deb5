/* builtins.h: the devices that are part of the program. */
#ifndef CLI_BUILTINS_H
#define CLI_BUILTINS_H

#include "harness/trial/plugin.h"

/* For plugin_open(); ended by null. */
extern const struct builtin_device *const builtins[];

#endif
