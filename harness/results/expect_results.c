#include "harness/results/guard.h"
#include "harness/results/expect_results.h"

#include "harness/fuzz/state.h"
#include "harness/plan/case_name.h"
#include "harness/results/history.h"
#include "harness/results/row.h"
#include "harness/base/nametable.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct expect_run *run;
    struct nametable indices; /* case name to index in the plan, + 1 */
};

/* Adds the strategy of a case that the plan lacks, once. */
static int add_other(struct expect_run *run, const char *name)
{
    size_t length = case_name_next_front(name, case_name_next_front(name, 0));
    for (size_t i = run->other_count; i-- > 0;)
        if (strlen(run->others[i]) == length && memcmp(run->others[i], name, length) == 0)
            return 0;
    const char **more = realloc(run->others, (run->other_count + 1) * sizeof *more);
    if (more) {
        run->others = more;
        run->others[run->other_count++] = pool_format(&run->pool, "%.*s", (int)length, name);
    }
    return more ? 0 : EXIT_HARNESS;
}

static int add_attempt(void *context, const struct history_attempt *attempt)
{
    const struct reader *r = context;
    struct expect_run *run = r->run;
    uint32_t index = nametable_find(&r->indices, &attempt->case_name, 1);
    bool failed_before = false;
    if (attempt->status == STATUS_INCOMPLETE)
        return 0;
    if (index-- == 0)
        return add_other(run, attempt->case_name);
    for (int s = 0; s < STATUS_COUNT; s++)
        failed_before |= (run->statuses[index] >> s & 1) && status_is_failure((enum status)s);
    run->known += run->statuses[index] == 0;
    run->statuses[index] |= 1u << attempt->status;
    if (!failed_before)
        run->messages[index] = pool_string(&run->pool, attempt->message);
    return 0;
}

/* Reads the rule that each case tests, its cause, and the rule that it breaks. */
static int read_causes(struct reader *r, struct history *history, bool state, struct error *error)
{
    struct row row;
    int code = row_prepare(&row, history_database(history),
                           state ? "SELECT case_name, rule, cause, broken FROM state_results WHERE as_of = ?1"
                                 : "SELECT case_name, rule, cause, broken FROM results WHERE run_id = ?1");
    if (code == SQLITE_OK)
        sqlite3_bind_int64(row.statement, 1, r->run->id);
    while (code == SQLITE_OK && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const char *name = row_text(&row, "case_name");
        uint32_t index = nametable_find(&r->indices, &name, 1);
        if (index > 0) {
            r->run->rules[index - 1] = pool_string(&r->run->pool, row_text(&row, "rule"));
            r->run->causes[index - 1] = pool_string(&r->run->pool, row_text(&row, "cause"));
            r->run->broken[index - 1] = pool_string(&r->run->pool, row_text(&row, "broken"));
        }
        code = SQLITE_OK;
    }
    int result = code == SQLITE_DONE ? 0
                                     : error_set(error, EXIT_HARNESS, "%s: %s", history_path(history),
                                                 guard_message(history_database(history)));
    row_close(&row);
    return result;
}

/* Reads a finding. Several findings may have one name: an operator's descriptions with one rule and kind. */
static void add_finding(struct expect_run *run, struct row *row)
{
    char name[256];
    int verdict = 0;
    while (fuzz_verdict_names[verdict] && strcmp(fuzz_verdict_names[verdict], row_text(row, "kind")) != 0)
        verdict++;
    if (!fuzz_verdict_names[verdict] || !fuzz_is_finding((enum fuzz_verdict)verdict))
        return;
    fuzz_finding_name(row_text(row, "operator"), row_text(row, "rule"), (enum fuzz_verdict)verdict, name, sizeof name);
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].name, name) == 0)
            return;
    struct expect_finding *more = realloc(run->findings, (run->finding_count + 1) * sizeof *more);
    if (!more)
        return;
    run->findings = more;
    run->findings[run->finding_count++] =
        (struct expect_finding){.name = pool_string(&run->pool, name),
                                .message = pool_string(&run->pool, row_text(row, "minimum")),
                                .status = 1u << fuzz_finding_status((enum fuzz_verdict)verdict)};
}

/* Reads the findings of the last search on the device, if the run, or `assay fuzz` after it, made one. */
static int read_findings(struct reader *r, struct history *history, const struct history_run *run, struct error *error)
{
    static const char exists[] = "SELECT 1 FROM sqlite_schema WHERE name = 'fuzz_finding'";
    static const char sql[] =
        "SELECT kind, operator, rule, minimum FROM fuzz_finding WHERE failure AND hunt_id = (SELECT max(id) FROM "
        "fuzz_hunt WHERE device = ?1 AND ended >= ?2) ORDER BY id";
    struct row row;
    int code = row_prepare(&row, history_database(history), exists);
    if (code == SQLITE_OK)
        code = sqlite3_step(row.statement);
    row_close(&row);
    if (code == SQLITE_ROW && (code = row_prepare(&row, history_database(history), sql)) == SQLITE_OK) {
        sqlite3_bind_text(row.statement, 1, run->device, -1, SQLITE_STATIC);
        sqlite3_bind_text(row.statement, 2, run->started, -1, SQLITE_STATIC);
        while ((code = sqlite3_step(row.statement)) == SQLITE_ROW)
            add_finding(r->run, &row);
        row_close(&row);
    }
    return code == SQLITE_DONE ? 0
                               : error_set(error, EXIT_HARNESS, "%s: %s", history_path(history),
                                           guard_message(history_database(history)));
}

static int expect_results_read_run(struct reader *r, struct history *history, int64_t id, bool state,
                                   struct error *error)
{
    struct history_run found;
    int result = history_run(history, id, &found, error);
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
    result = history_attempts(history, found.id, state, add_attempt, r, error);
    if (result == 0)
        result = read_causes(r, history, state, error);
    return result ? result : read_findings(r, history, &found, error);
}

/* Reads one run into arrays over the plan. */
static int read_into(struct expect_run *run, struct history *history, int64_t id, bool state, const struct plan *plan,
                     struct error *error)
{
    struct reader r = {.run = run};
    int result = 0;
    run->statuses = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->statuses);
    run->messages = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->messages);
    run->rules = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->rules);
    run->causes = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->causes);
    run->broken = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->broken);
    for (size_t i = 0; i < plan->count && result == 0; i++) {
        run->messages[i] = run->rules[i] = run->causes[i] = run->broken[i] = "";
        if (!nametable_add(&r.indices, &plan->cases[i].name, 1, (int64_t)i + 1))
            result = error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", plan->count);
    }
    if (result == 0)
        result = expect_results_read_run(&r, history, id, state, error);
    nametable_destroy(&r.indices);
    return result;
}

/* Lists the last run on each device of the last `assay run`, among the runs that test conformance. */
static int expect_results_list_runs(struct history *history, int64_t *ids, size_t *count, struct error *error)
{
    static const char sql[] =
        "SELECT max(run_id) AS run_id FROM conformance_runs WHERE run_id > ifnull((SELECT max(run_id) FROM "
        "conformance_runs WHERE invocation_id IS NOT (SELECT invocation_id FROM conformance_runs ORDER BY run_id DESC "
        "LIMIT 1)), 0) GROUP BY device ORDER BY 1 LIMIT ?1";
    struct row row;
    int code = row_prepare(&row, history_database(history), sql), result = 0;
    if (code == SQLITE_OK) {
        sqlite3_bind_int(row.statement, 1, EXPECT_RUNS_MAX);
        while ((code = sqlite3_step(row.statement)) == SQLITE_ROW)
            ids[(*count)++] = row_int(&row, "run_id");
    }
    if (code != SQLITE_DONE)
        result =
            error_set(error, EXIT_HARNESS, "%s: %s", history_path(history), guard_message(history_database(history)));
    else if (*count == 0)
        result = error_set(error, EXIT_NO_MATCH, "%s: has no run that tests conformance", history_path(history));
    row_close(&row);
    return result;
}

int expect_runs_read(struct expect_runs *runs, const char *path, int64_t id, const struct plan *plan,
                     struct error *error)
{
    struct history *history = NULL;
    int64_t ids[EXPECT_RUNS_MAX] = {id};
    size_t count = id ? 1 : 0;
    *runs = (struct expect_runs){0};
    int result = history_open(path, &history, error);
    if (result == 0 && !id)
        result = expect_results_list_runs(history, ids, &count, error);
    for (size_t i = 0; i < count && result == 0; i++)
        result = read_into(&runs->items[runs->count++], history, ids[i], !id, plan, error);
    history_close(history);
    return result;
}

const char *expect_run_broken(const struct expect_run *run, size_t index)
{
    return run->broken ? run->broken[index] : "";
}

bool expect_run_fits(const struct expect_run *run, size_t index, const struct expect_line *line)
{
    uint32_t statuses = run->statuses[index];
    bool failed = false, judged = false;
    if (line && line->statuses == 1u << STATUS_SKIP) /* the cases of the line need not be run */
        return true;
    for (int s = 0; s < STATUS_COUNT; s++) {
        failed |= (statuses >> s & 1) && status_is_failure((enum status)s) && s != STATUS_HARNESS_ERROR;
        judged |= (statuses >> s & 1) && s != STATUS_SKIP && s != STATUS_UNSUPPORTED && s != STATUS_HARNESS_ERROR;
    }
    return line && judged ? expect_allows(line, statuses) : !failed;
}

void expect_runs_free(struct expect_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        free(runs->items[i].others);
        free(runs->items[i].findings);
        pool_clear(&runs->items[i].pool);
    }
    *runs = (struct expect_runs){0};
}
