/* progress.h: the worker's end of the memory and the socket that it shares with the harness. */
#ifndef WORKER_PROGRESS_H
#define WORKER_PROGRESS_H

#include "harness/base/error.h"
#include "harness/worker/wire.h"

/* Maps the shared memory, of `*size` bytes. Null: that is impossible. */
struct progress *progress_map(size_t *size);

/* Says what the worker is doing. */
void progress_enter(struct progress *progress, enum stage stage, size_t index);

/* Sends the first message: the device is open, with what it says of itself, or why it is not. With status 0 the text
 * says what opening it changed in the process. */
bool progress_hello(const struct plugin *device, const struct error *error);

#endif
