/* output.h: what a device prints to standard error: a file that its process writes, and that judge and harness read. */
#ifndef WORKER_OUTPUT_H
#define WORKER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { OUTPUT_TEXT = 400 /* bytes of it that a failure has, with the terminating zero */ };

/* The size of the file; 0 if it cannot be found out. */
off_t output_size(int file);

/* Writes the end of what was printed from `start` on to `text`, with "…" before it if there is more: the device's own
 * bytes, without the last line break. False, and "": nothing was printed. */
bool output_read(int file, off_t start, char *text, size_t size);

#endif
