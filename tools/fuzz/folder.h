/* folder.h: a folder for targets that need files by name, made before a fuzzer forks and removed when the target ends. */
#ifndef FOLDER_H
#define FOLDER_H

#include <stddef.h>
#include <stdint.h>

/* Makes it, once, in $TMPDIR or /tmp; for LLVMFuzzerInitialize(). */
void folder_make(void);

/* The path of something in it; valid until the next call. */
const char *folder_path(const char *name);

/* Writes a file in it. Returns its path, as folder_path(). */
const char *folder_write(const char *name, const uint8_t *data, size_t size);

#endif
