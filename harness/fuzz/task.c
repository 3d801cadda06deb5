#include "harness/fuzz/task.h"

#include "harness/fuzz/work.h"

static bool task_is_harmed(void *context, char *text, size_t size)
{
    return worker_is_harmed(context, "descriptions were tried", text, size);
}

static void task_protect(void *context, bool on)
{
    worker_protect_shared(context, on);
}

bool fuzz_task(struct worker *worker, const void *request, size_t size, void *shared)
{
    const struct fuzz_request *asked = request;
    const struct opdesc *seeds = (const void *)(asked + 1);
    const struct fuzz_guard guard = {task_is_harmed, task_protect, worker};
    if (size < sizeof *asked || asked->seeds > FUZZ_CORPUS || size != sizeof *asked + asked->seeds * sizeof *seeds)
        return false;
    return fuzz_work(worker_setup(worker), worker_specs(worker), asked, seeds, &guard, shared);
}
