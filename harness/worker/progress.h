/* progress.h: the worker's end of the memory and the socket that it shares with the harness. */
#ifndef WORKER_PROGRESS_H
#define WORKER_PROGRESS_H

#include "harness/base/error.h"
#include "harness/worker/wire.h"

/* Maps the shared memory, of `*size` bytes. Returns null if that is impossible. */
struct progress *progress_map(size_t *size);

/* Writes the worker's stage to the shared memory. */
void progress_enter(struct progress *progress, enum stage stage, size_t index);

/* Tells the harness that the worker is still at work, which needs time that is not the device's. */
void progress_beat(struct progress *progress);

/* Sends the first message: the device's information if the device is open, otherwise the error. With status 0 the
 * error's text names the changes that opening the device made in the process. */
bool progress_hello(const struct plugin *device, const struct error *error);

#endif
