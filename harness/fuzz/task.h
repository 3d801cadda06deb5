/* task.h: the fuzzer's side of worker_task: fuzzing as the task of a worker process. */
#ifndef FUZZ_TASK_H
#define FUZZ_TASK_H

#include "harness/worker/worker.h"

/* A worker_task. The request is a struct fuzz_request with its seed descriptions, `shared` a struct fuzz_state. */
bool fuzz_task(struct worker *worker, const void *request, size_t size, void *shared);

#endif
