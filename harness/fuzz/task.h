/* task.h: a search as the task of a worker process. */
#ifndef FUZZ_TASK_H
#define FUZZ_TASK_H

#include "harness/worker/worker.h"

/* A worker_task: the request is a struct fuzz_request and its descriptions, the shared memory a struct fuzz_state. */
bool fuzz_task(struct worker *worker, const void *request, size_t size, void *shared);

#endif
