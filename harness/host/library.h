/* library.h: mistakes in a library that the loader reports badly, or dies of. */
#ifndef HOST_LIBRARY_H
#define HOST_LIBRARY_H

#include "harness/base/error.h"

/* Checks the ELF headers of a file. Returns EXIT_NO_DEVICE if the file is no shared library, is one for another machine
 * than this one, or is shorter than its headers say, which would kill a process that loads it. */
int library_check(const char *path, struct error *error);

#endif
