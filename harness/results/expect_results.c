#include "harness/results/expect_results.h"

#include "harness/results/history.h"
#include "harness/results/row.h"
#include "harness/base/nametable.h"

#include <sqlite3.h>

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

static int add_before(void *context, const struct history_attempt *attempt)
{
    const struct reader *r = context;
    uint32_t index = nametable_find(&r->indices, &attempt->case_name, 1);
    if (index > 0 && attempt->status != STATUS_INCOMPLETE)
        r->run->before[index - 1] |= 1u << attempt->status;
    return 0;
}

/* The run before, of the same device: it tells what has been fixed since. */
static int read_before(struct reader *r, struct history *history, const struct plan *plan, struct error *error)
{
    struct history_run found;
    struct error none = {0};
    if (history_last_run(history, r->run->device.device, r->run->id, &found, &none) != 0)
        return 0;
    r->run->before_id = found.id;
    r->run->before = pool_alloc(&r->run->pool, (plan->count + 1) * sizeof *r->run->before);
    return history_attempts(history, found.id, false, add_before, r, error);
}

/* The rule that each case tests, and what is wrong with it. */
static int read_causes(struct reader *r, struct history *history, struct error *error)
{
    struct row row;
    int code =
        row_prepare(&row, history_database(history), "SELECT case_name, rule, cause FROM results WHERE run_id = ?1");
    if (code == SQLITE_OK)
        sqlite3_bind_int64(row.statement, 1, r->run->id);
    while (code == SQLITE_OK && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const char *name = row_text(&row, "case_name");
        uint32_t index = nametable_find(&r->indices, &name, 1);
        if (index > 0) {
            r->run->rules[index - 1] = pool_string(&r->run->pool, row_text(&row, "rule"));
            r->run->causes[index - 1] = pool_string(&r->run->pool, row_text(&row, "cause"));
        }
        code = SQLITE_OK;
    }
    int result = code == SQLITE_DONE ? 0
                                     : error_set(error, EXIT_HARNESS, "%s: %s", history_path(history),
                                                 sqlite3_errmsg(history_database(history)));
    row_close(&row);
    return result;
}

static int read_run(struct reader *r, struct history *history, int64_t id, const struct plan *plan, struct error *error)
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
    result = history_attempts(history, found.id, id == 0, add_attempt, r, error);
    if (result == 0)
        result = read_causes(r, history, error);
    return result ? result : read_before(r, history, plan, error);
}

int expect_run_list(const char *path, int64_t id, int64_t ids[EXPECT_RUNS_MAX], int *count, struct error *error)
{
    static const char sql[] = "WITH last AS (SELECT invocation_id FROM runs ORDER BY run_id DESC LIMIT 1) "
                              "SELECT max(run_id) AS run_id FROM runs WHERE run_id > ifnull((SELECT max(run_id) FROM "
                              "runs WHERE invocation_id IS NOT (SELECT invocation_id FROM last)), 0) "
                              "GROUP BY device ORDER BY 1 LIMIT ?1";
    struct history *history = NULL;
    struct row row = {0};
    *count = id ? 1 : 0;
    ids[0] = id;
    if (id)
        return 0;
    int result = history_open(path, &history, error), code = SQLITE_OK;
    if (result)
        return result;
    if ((code = row_prepare(&row, history_database(history), sql)) == SQLITE_OK) {
        sqlite3_bind_int(row.statement, 1, EXPECT_RUNS_MAX);
        while ((code = sqlite3_step(row.statement)) == SQLITE_ROW)
            ids[(*count)++] = row_int(&row, "run_id");
    }
    if (code != SQLITE_DONE)
        result = error_set(error, EXIT_HARNESS, "%s: %s", path, sqlite3_errmsg(history_database(history)));
    else if (*count == 0)
        result = error_set(error, EXIT_NO_MATCH, "%s: has no run", path);
    row_close(&row);
    history_close(history);
    return result;
}

int expect_run_read(struct expect_run *run, const char *path, int64_t id, const struct plan *plan, struct error *error)
{
    struct reader r = {.run = run};
    struct history *history = NULL;
    int result = 0;
    run->statuses = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->statuses);
    run->messages = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->messages);
    run->rules = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->rules);
    run->causes = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->causes);
    for (size_t i = 0; i < plan->count && result == 0; i++) {
        run->messages[i] = run->rules[i] = run->causes[i] = "";
        if (!nametable_add(&r.indices, &plan->cases[i].name, 1, (int64_t)i + 1))
            result = error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", plan->count);
    }
    if (result == 0)
        result = history_open(path, &history, error);
    if (result == 0)
        result = read_run(&r, history, id, plan, error);
    history_close(history);
    nametable_destroy(&r.indices);
    return result;
}

bool expect_run_fits(const struct expect_run *run, size_t index, const struct expect_line *line)
{
    uint32_t statuses = run->statuses[index];
    bool failed = false, judged = false;
    if (line && line->statuses == 1u << STATUS_SKIP) /* its cases need not be run */
        return true;
    for (int s = 0; s < STATUS_COUNT; s++) {
        failed |= (statuses >> s & 1) && status_is_failure((enum status)s) && s != STATUS_HARNESS_ERROR;
        judged |= (statuses >> s & 1) && s != STATUS_SKIP && s != STATUS_UNSUPPORTED && s != STATUS_HARNESS_ERROR;
    }
    return line && judged ? expect_allows(line, statuses) : !failed;
}

void expect_run_free(struct expect_run *run)
{
    pool_clear(&run->pool);
    *run = (struct expect_run){0};
}
