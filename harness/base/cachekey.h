/* cachekey.h: keys of files that the harness writes for itself. Such a file is valid as long as the harness is the same
 * build and the files that it was made from are unchanged. */
#ifndef BASE_CACHEKEY_H
#define BASE_CACHEKEY_H

#include <stdint.h>

/* The hash of the harness's object files, which the Makefile makes: the program and its tests have the same one. */
extern const uint64_t cachekey_build;

/* Adds names and contents of the folder's files whose names end in one of `endings` (ended by null) to a key. `folder`
 * may be one such file. Returns 0 if a file cannot be read or there are none. */
uint64_t cachekey_folder(uint64_t key, const char *folder, const char *const endings[]);

#endif
