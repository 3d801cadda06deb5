/* fault.h: reports what a fatal signal was about. Used in worker processes, where devices run. */
#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H

#include "harness/trial/arena.h"

/* Installs handlers for SIGSEGV, SIGBUS and SIGABRT. A handler writes a description to `text`, such as "touched 4 bytes
 * past the end of 'OutputTensor'" or that the memory limit is used up, and then lets the signal kill the process.
 * `text` must be in shared memory, so that the harness can read it afterwards; it stays as it was if there is nothing
 * to say. `arena` locates addresses and must outlive the process's work. Call once per process. */
void fault_catch(const struct arena *arena, char *text, size_t size);

#endif
