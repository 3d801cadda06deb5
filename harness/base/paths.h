/* paths.h: where specs, cases and shipped devices are: beside the program in a build tree, under its prefix when it is
 * installed. */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

#include "harness/base/error.h"

enum { PATHS_SIZE = 4096 };

/* The folder "specs" or "cases": `given` if that is not null, else the tree's or the installed one. */
int paths_folder(const char *name, const char *given, char path[PATHS_SIZE], struct error *error);

/* The folder "cases", likewise; or what is given is one file, NAME.lua or NAME.json. */
int paths_cases(const char *given, char path[PATHS_SIZE], struct error *error);

/* The file of the plan that is kept: beside the program, or with the installed specs; "" if there is none. */
void paths_plan_cache(char path[PATHS_SIZE]);

/* The library of a device named on the command line: a path (anything with a '/', or ending in ".so") or a shipped name.
 * EXIT_NO_DEVICE, with the shipped names, if there is none. */
int paths_device(const char *name, char path[PATHS_SIZE], struct error *error);

/* Names of the shipped devices, sorted; at most `max`. Returns how many. The names are valid until the next call. */
int paths_devices(const char *names[], int max);

#endif
