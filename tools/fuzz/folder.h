/* folder.h: a folder for targets that need files by name, created before a fuzzer forks and removed when the target
 * ends. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Creates the folder in $TMPDIR or /tmp. To be called once, by LLVMFuzzerInitialize(). Aborts if it fails. */
void folder_make(void);

/* The path of `name` in the folder, "" for the folder itself; valid until the next call. */
const char *folder_path(const char *name);

/* Writes a file in the folder. Returns its path, as folder_path() does. Aborts if it fails. */
const char *folder_write(const char *name, const uint8_t *data, size_t size);

#endif
