/* fault.h: what a fatal signal was about, left where whoever finds the process dead can read it. Used in the processes
 * that devices run in. */
#ifndef WORKER_FAULT_H
#define WORKER_FAULT_H

#include "harness/trial/arena.h"

/* From now on a SIGSEGV or SIGBUS writes to `text`, in memory that outlives the process, what was touched: "touched 4
 * bytes past the end of 'OutputTensor'"; then the process dies of it. Once per process; the arena stays. */
void fault_catch(const struct arena *arena, char *text, size_t size);

#endif
