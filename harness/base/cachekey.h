/* cachekey.h: when a file that the harness wrote for itself is still valid: while the harness is the same build, and
 * the files that it was made from are unchanged. */
#ifndef BASE_CACHEKEY_H
#define BASE_CACHEKEY_H

#include <stdint.h>

/* A hash of the harness's object files, which the Makefile makes: the program and its tests have the same. */
extern const uint64_t cachekey_build;

/* Adds names and contents of the folder's files whose names end in one of `endings` (ended by null) to a key. 0: one
 * cannot be read, or there are none. `folder` may be one such file. */
uint64_t cachekey_folder(uint64_t key, const char *folder, const char *const endings[]);

#endif
