#include "harness/results/expect_results.h"

#include "harness/results/history.h"
#include "harness/base/nametable.h"

struct reader {
    struct expect_run *run;
    struct nametable indices; /* case name to index in the plan, + 1 */
};

static int add_attempt(void *context, const struct history_attempt *attempt)
{
    const struct reader *r = context;
    struct expect_run *run = r->run;
    uint32_t index = nametable_find(&r->indices, &attempt->case_name, 1);
    bool failed_before = false;
    if (index-- == 0 || attempt->status == STATUS_INCOMPLETE)
        return 0;
    for (int s = 0; s < STATUS_COUNT; s++)
        failed_before |= (run->statuses[index] >> s & 1) && status_is_failure((enum status)s);
    run->known += run->statuses[index] == 0;
    run->statuses[index] |= 1u << attempt->status;
    if (!failed_before)
        run->messages[index] = pool_string(&run->pool, attempt->message);
    return 0;
}

static int read_run(struct reader *r, struct history *history, int64_t id, struct error *error)
{
    struct history_run found;
    int result = id ? history_run(history, id, &found, error) : history_last_run(history, NULL, 0, &found, error);
    if (result)
        return result;
    r->run->id = found.id;
    r->run->shard = found.shard;
    r->run->shards = found.shards;
    r->run->device = (struct expect_device){.device = pool_string(&r->run->pool, found.device),
                                            .name = pool_string(&r->run->pool, found.device_name),
                                            .driver = pool_string(&r->run->pool, found.device_driver),
                                            .version = pool_string(&r->run->pool, found.device_version),
                                            .level = level_find(found.feature_level)};
    return history_attempts(history, found.id, id == 0, add_attempt, r, error);
}

int expect_run_read(struct expect_run *run, const char *path, int64_t id, const struct plan *plan, struct error *error)
{
    struct reader r = {.run = run};
    struct history *history = NULL;
    int result = 0;
    run->statuses = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->statuses);
    run->messages = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->messages);
    for (size_t i = 0; i < plan->count && result == 0; i++) {
        run->messages[i] = "";
        if (!nametable_add(&r.indices, &plan->cases[i].name, 1, (int64_t)i + 1))
            result = error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", plan->count);
    }
    if (result == 0)
        result = history_open(path, &history, error);
    if (result == 0)
        result = read_run(&r, history, id, error);
    history_close(history);
    nametable_destroy(&r.indices);
    return result;
}

void expect_run_free(struct expect_run *run)
{
    pool_clear(&run->pool);
    *run = (struct expect_run){0};
}
