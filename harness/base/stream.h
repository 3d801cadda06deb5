/* stream.h: standard output and standard error that wait for their reader. */
#ifndef BASE_STREAM_H
#define BASE_STREAM_H

#include <stdio.h>

/* Makes `stdout` and `stderr` wait where a write would return EAGAIN: the reader of a pipe or terminal may have made it
 * non-blocking, as Node.js does, and stdio drops output then. Call this function before anything is written. */
void stream_wait_for_readers(void);

/* Returns a stream for writing to the file descriptor `file`, which it closes with it; a write waits for the reader.
 * Null if there is no memory. */
FILE *stream_open(int file);

/* Returns the file descriptor of a stream; that of `stdout` and `stderr` also after stream_wait_for_readers(). */
int stream_file(FILE *stream);

#endif
