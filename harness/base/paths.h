/* paths.h: finds specs, cases and shipped devices: beside the program in a build tree, below its prefix once
 * installed. */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

#include "harness/base/error.h"

enum { PATHS_SIZE = 4096 };

/* Finds the folder `name`, "specs" or "cases": `given` if not null, else the one of the build tree or installation.
 * Returns 0; EXIT_USAGE if `given` is not a folder; EXIT_HARNESS if there is none. */
int paths_folder(const char *name, const char *given, char path[PATHS_SIZE], struct error *error);

/* Does the same for "cases", but `given` may also be one file, NAME.lua or NAME.json. */
int paths_cases(const char *given, char path[PATHS_SIZE], struct error *error);

/* Finds a file that the build made: "plan" or "compiled-specs". It is beside the program, or with the installed specs;
 * `path` is "" if there is none. */
void paths_built(const char *name, char path[PATHS_SIZE]);

/* Finds the library of a device named on the command line: a path (anything with a '/' or ending in ".so") or the name
 * of a shipped device. The devices "meaning" and "recorded" are part of the program: `path` becomes their name.
 * Returns 0, or EXIT_NO_DEVICE with the shipped names in the message, or EXIT_HARNESS without /proc. */
int paths_device(const char *name, char path[PATHS_SIZE], struct error *error);

/* Finds the program that devices run in: beside this one, or below its prefix once installed. */
void paths_host(char path[PATHS_SIZE]);

/* Stores the names of up to `max` shipped devices, sorted. Returns their number. The names are valid until the next
 * call. Not thread-safe. */
int paths_devices(const char *names[], int max);

#endif
