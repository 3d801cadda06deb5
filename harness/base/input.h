/* input.h: standard input as one text. */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "harness/base/error.h"

/* Reads standard input to its end, once: a command that needs it twice gets the same text, which ends with a zero and
 * stays valid. Returns EXIT_HARNESS if it cannot be read. Not thread-safe. */
int input_read(char **text, size_t *size, struct error *error);

#endif
