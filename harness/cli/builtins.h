/* builtins.h: the devices that are part of the program, not shared libraries. */
#ifndef CLI_BUILTINS_H
#define CLI_BUILTINS_H

#include "harness/trial/plugin.h"

/* The devices of the program, for plugin_open(); null ends the list. */
extern const struct builtin_device *const builtins[];

#endif
