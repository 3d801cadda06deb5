/* worker.h: the process that a device runs in. The harness starts it as `assay worker …`, sends batches of cases and
 * gets results; what happens in here cannot harm it. */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>

/* What the worker is given at its start, beside the two descriptors. */
enum {
    WORKER_SOCKET = 3,  /* descriptor of the socket to the harness */
    WORKER_PROGRESS = 4 /* descriptor of the shared struct progress */
};

/* Serves until the harness closes the socket. `device` as given with -d, `specs` a folder; `dump`: outputs come back as text too;
 * `profile`: struct progress says where the time goes. Returns an exit status. */
int worker_main(const char *device, const char *specs, bool dump, bool profile);

#endif
