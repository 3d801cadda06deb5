/* input.h: the files that a command reads, and standard input, as one text each. All files that a user or a stranger
 * names are opened here: a pipe or a device could keep a command waiting for ever, or never end. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "harness/base/error.h"

#include <stdint.h>

/* The most bytes of standard input, and of a file of which nothing less is known. */
enum { INPUT_MAX = 256 * 1024 * 1024 };

/* Opens a regular file of at most `most` bytes to read it, and stores its size; null: the caller does not need it.
 * Returns the descriptor. Otherwise returns -1, sets the error, with EXIT_HARNESS, and leaves the reason in errno:
 * EINVAL if it is of another kind, or larger. `expected` names the file in the message: "an expectation file". */
int input_open(const char *path, const char *expected, uint64_t most, uint64_t *size, struct error *error);

/* Reads a whole file that input_open() accepts, followed by a zero byte. The caller frees it. Returns null, with the
 * error set and the reason in errno, if it cannot be read. */
char *input_file(const char *path, const char *expected, uint64_t most, uint64_t *size, struct error *error);

/* Reads standard input, which may be a pipe, to its end, once: a command that needs it twice gets the same text, which
 * ends with a zero and stays valid. Returns EXIT_HARNESS if it cannot be read or has more than INPUT_MAX bytes,
 * and EXIT_INCOMPLETE if the program is interrupted. Not thread-safe. */
int input_read(char **text, size_t *size, struct error *error);

#endif
