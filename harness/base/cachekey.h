/* cachekey.h: when a file that this program wrote for itself is still valid: while the program is the same build, and
 * the files that it was made from are unchanged. */
#ifndef BASE_CACHEKEY_H
#define BASE_CACHEKEY_H

#include <stdint.h>

/* A hash of the linker's build id of the program; 0: it has none, so nothing should be kept for it. */
uint64_t cachekey_program(void);

/* Adds names and contents of the folder's files whose names end in one of `endings` (ended by null) to a key. 0: one
 * cannot be read, or there are none. `folder` may be one such file. */
uint64_t cachekey_folder(uint64_t key, const char *folder, const char *const endings[]);

#endif
