/* library.h: what the loader does not say of a library that it cannot load, or dies of. */
#ifndef HOST_LIBRARY_H
#define HOST_LIBRARY_H

#include "harness/base/error.h"

/* Checks the ELF headers of a file. EXIT_NO_DEVICE: it is no shared library, is one for another machine than this one,
 * or is shorter than its headers say, which would kill a process that loads it. */
int library_check(const char *path, struct error *error);

#endif
