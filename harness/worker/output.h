/* output.h: the text that a device prints to standard error. Its process writes the text to a file, which judge and
 * harness read. */
#ifndef WORKER_OUTPUT_H
#define WORKER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { OUTPUT_TEXT = 400 /* bytes of the text in the message of a failure, with the terminating zero */ };

/* Returns the size of the file; 0 if the system does not tell the size. */
off_t output_size(int file);

/* Writes the end of the text that was printed from `start` on to `text`, with "…" before it if the device printed more.
 * The bytes are the device's own, without the last line break. Returns false, and writes "", if nothing was printed. */
bool output_read(int file, off_t start, char *text, size_t size);

#endif
