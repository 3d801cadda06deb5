/* Reads runs, results, attempts and samples from a history. */
#include "harness/results/history_internal.h"

#include "harness/results/row.h"

#include <stdio.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int history_read_prepare(const struct history *h, const char *sql, struct row *out, struct error *error)
{
    return row_prepare(out, h->db, sql) == SQLITE_OK ? 0 : history_fail(h, error);
}

/* Closes a row after its last step, which returned `code`. */
static int history_read_finish(const struct history *h, struct row *row, int code, struct error *error)
{
    int result = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : history_fail(h, error);
    row_close(row);
    return result;
}

/* Closes rows that were passed to a callback, whose last result is `result`. */
static int finish_each(const struct history *h, struct row *row, int code, int result, struct error *error)
{
    int finished = history_read_finish(h, row, code, error);
    return result ? result : finished;
}

/* ---- runs */

#define RUN_COLUMNS                                                                                                    \
    "SELECT run_id, device, state, started, ended, device_name, device_driver, device_version, feature_level, "        \
    "version, seed, planned, plan_hash, shard, shards, purpose, command, partial, device_hash, device_build, label, "  \
    "invocation_id, "                                                                                                  \
    "revision, branch, half FROM runs "
#define CONFORMANCE "run_id IN (SELECT run_id FROM conformance_runs) "

/* Returns the number of a shard, or of all shards. A stranger's database may have any value. */
static unsigned row_part(struct row *row, const char *name)
{
    uint64_t part = row_count(row, name);
    return part < UINT_MAX ? (unsigned)part : UINT_MAX;
}

static void history_read_run(struct history *h, struct row *row, struct history_run *run)
{
    *run = (struct history_run){.id = row_int(row, "run_id"),
                                .invocation = row_int(row, "invocation_id"),
                                .device = pool_string(&h->pool, row_text(row, "device")),
                                .state = pool_string(&h->pool, row_text(row, "state")),
                                .started = pool_string(&h->pool, row_text(row, "started")),
                                .ended = pool_string(&h->pool, row_text(row, "ended")),
                                .device_name = pool_string(&h->pool, row_text(row, "device_name")),
                                .device_driver = pool_string(&h->pool, row_text(row, "device_driver")),
                                .device_version = pool_string(&h->pool, row_text(row, "device_version")),
                                .feature_level = pool_string(&h->pool, row_text(row, "feature_level")),
                                .version = pool_string(&h->pool, row_text(row, "version")),
                                .seed = strtoull(row_text(row, "seed"), NULL, 0),
                                .planned = row_int(row, "planned"),
                                .plan_hash = strtoull(row_text(row, "plan_hash"), NULL, 0),
                                .shard = row_part(row, "shard"),
                                .shards = row_part(row, "shards"),
                                .purpose = pool_string(&h->pool, row_text(row, "purpose")),
                                .command = pool_string(&h->pool, row_text(row, "command")),
                                .partial = row_flag(row, "partial"),
                                .half = row_flag(row, "half"),
                                .device_hash = pool_string(&h->pool, row_text(row, "device_hash")),
                                .device_build = pool_string(&h->pool, row_text(row, "device_build")),
                                .label = pool_string(&h->pool, row_text(row, "label")),
                                .revision = pool_string(&h->pool, row_text(row, "revision")),
                                .branch = pool_string(&h->pool, row_text(row, "branch"))};
}

int history_run(struct history *history, int64_t id, struct history_run *run, struct error *error)
{
    struct row row;
    int result = history_read_prepare(history, RUN_COLUMNS "WHERE run_id = ?1", &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, id);
    int code = sqlite3_step(row.statement);
    if (code == SQLITE_ROW)
        history_read_run(history, &row, run);
    if ((result = history_read_finish(history, &row, code, error)) || code == SQLITE_ROW)
        return result;
    int64_t last;
    if ((result = history_number(history, "SELECT max(run_id) FROM runs", NULL, &last, error)))
        return result;
    return error_set(error, EXIT_NO_MATCH, "%s: has no run %lld%s; its last is %lld", history->path, (long long)id,
                     last ? "" : ", nor any other", (long long)last);
}

int history_last_run(struct history *history, const char *device, int64_t before, struct history_run *run,
                     struct error *error)
{
    struct row row;
    int result = history_read_prepare(history,
                                      RUN_COLUMNS "WHERE " CONFORMANCE
                                                  "AND (?1 IS NULL OR device = ?1) AND (?2 = 0 OR run_id < ?2) "
                                                  "ORDER BY run_id DESC LIMIT 1",
                                      &row, error);
    if (result)
        return result;
    sqlite3_bind_text(row.statement, 1, device, -1, SQLITE_STATIC);
    sqlite3_bind_int64(row.statement, 2, before);
    int code = sqlite3_step(row.statement);
    if (code == SQLITE_ROW)
        history_read_run(history, &row, run);
    if ((result = history_read_finish(history, &row, code, error)) || code == SQLITE_ROW)
        return result;
    char earlier[48] = "";
    if (before)
        snprintf(earlier, sizeof earlier, " before run %lld", (long long)before);
    return error_set(error, EXIT_NO_MATCH, "%s: has no run%s%s%s that tests conformance", history->path,
                     device ? " of device " : "", device ? device : "", earlier);
}

static int history_read_runs(struct history *history, const char *sql, struct history_run *runs, int max, int *count,
                             struct error *error)
{
    struct row row;
    int code = SQLITE_DONE, result = history_read_prepare(history, sql, &row, error);
    *count = 0;
    if (result)
        return result;
    sqlite3_bind_int(row.statement, 1, max);
    while (*count < max && (code = sqlite3_step(row.statement)) == SQLITE_ROW)
        history_read_run(history, &row, &runs[(*count)++]);
    return history_read_finish(history, &row, code, error);
}

int history_last_runs(struct history *history, struct history_run *runs, int max, int *count, struct error *error)
{
    return history_read_runs(history,
                             RUN_COLUMNS "WHERE run_id IN (SELECT run_id FROM current_runs) "
                                         "ORDER BY run_id DESC LIMIT ?1",
                             runs, max, count, error);
}

int history_last_call(struct history *history, struct history_run *runs, int max, int *count, struct error *error)
{
    static const char since_call[] = RUN_COLUMNS "WHERE run_id >= (SELECT min(run_id) FROM runs WHERE invocation_id = "
                                                 "(SELECT max(invocation_id) FROM runs)) ORDER BY run_id LIMIT ?1",
                      of_each[] =
                          RUN_COLUMNS "WHERE run_id IN (SELECT max(run_id) FROM runs GROUP BY device, purpose, half) "
                                      "ORDER BY run_id LIMIT ?1";
    int result = history_read_runs(history, since_call, runs, max, count, error);
    if (result == 0 && *count == 0)
        result = history_read_runs(history, of_each, runs, max, count, error);
    if (result || *count > 0)
        return result;
    return error_set(error, EXIT_NO_MATCH, "%s: has no run", history->path);
}

int history_shards(struct history *history, struct history_run *runs, int max, int *count, struct error *error)
{
    /* The last run of a device is not taken from conformance_runs: a shard may have no case. */
    return history_read_runs(
        history,
        RUN_COLUMNS
        "WHERE run_id IN (SELECT max(one.run_id) FROM runs AS one JOIN runs AS last USING (device) "
        "WHERE last.run_id = (SELECT max(run_id) FROM runs WHERE runs.device = last.device AND purpose IN "
        "('conformance', 'rerun')) AND last.shards > 1 AND (one.shards, one.seed, one.plan_hash, one.half) = "
        "(last.shards, last.seed, last.plan_hash, last.half) GROUP BY one.device, one.shard) "
        "ORDER BY run_id LIMIT ?1",
        runs, max, count, error);
}

int history_runs_wanted(struct history *history)
{
    int64_t wanted = 0;
    history_number(history, "SELECT runs FROM invocation WHERE id = (SELECT max(invocation_id) FROM run)", NULL,
                   &wanted, NULL);
    return (int)wanted;
}

int history_running(struct history *history, int64_t run, int (*each)(void *context, const struct history_running *),
                    void *context, struct error *error)
{
    struct row row;
    int code = SQLITE_DONE,
        result = history_read_prepare(
            history, "SELECT worker, case_name, cases, seconds FROM running WHERE run_id = ?1 ORDER BY worker", &row,
            error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, run);
    while (result == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const struct history_running running = {.worker = (int)row_int(&row, "worker"),
                                                .case_name = row_text(&row, "case_name"),
                                                .cases = row_int(&row, "cases"),
                                                .seconds = row_real(&row, "seconds")};
        result = each(context, &running);
    }
    return finish_each(history, &row, code, result, error);
}

/* ---- results */

static int unknown_status(const struct history *h, const char *status, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: a case has the status '%s', which this assay does not know", h->path,
                     status);
}

#define RESULT_COLUMNS                                                                                                 \
    "status, flaky, expectation, case_name, operator, rule, broken, cause, message, reproduce, outcome, "              \
    "error_ulps, error_share, run_id"

/* Passes on the results that a query selects: RESULT_COLUMNS and not_run. ?1 and ?2 are run ids. */
static int each_result(struct history *history, const char *sql, int64_t run, int64_t other,
                       int (*each)(void *context, const struct history_result *), void *context, struct error *error)
{
    struct row row;
    int code = SQLITE_DONE, result = history_read_prepare(history, sql, &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, run);
    if (sqlite3_bind_parameter_count(row.statement) > 1)
        sqlite3_bind_int64(row.statement, 2, other);
    while (result == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const struct record record = {.verdict.status = status_find(row_text(&row, "status")),
                                      .flaky = row_flag(&row, "flaky"),
                                      .standing = standing_find(row_text(&row, "expectation"))};
        const struct history_result found = {.case_name = row_text(&row, "case_name"),
                                             .operator_name = row_text(&row, "operator"),
                                             .rule = row_text(&row, "rule"),
                                             .broken = row_text(&row, "broken"),
                                             .cause = cause_find(row_text(&row, "cause")),
                                             .message = row_text(&row, "message"),
                                             .reproduce = row_text(&row, "reproduce"),
                                             .outcome = row_text(&row, "outcome"),
                                             .error = {.ulps = row_real(&row, "error_ulps"),
                                                       .share = row_real(&row, "error_share"),
                                                       .measured = !row_is_null(&row, "error_share")},
                                             .status = record.verdict.status,
                                             .failure = record_is_failure(&record),
                                             .flaky = record.flaky,
                                             .run = row_int(&row, "run_id"),
                                             .not_run = row_flag(&row, "not_run")};
        result = record.verdict.status != STATUS_COUNT ? each(context, &found)
                                                       : unknown_status(history, row_text(&row, "status"), error);
    }
    return finish_each(history, &row, code, result, error);
}

int history_results(struct history *history, int64_t run, int (*each)(void *context, const struct history_result *),
                    void *context, struct error *error)
{
    return each_result(history,
                       "SELECT " RESULT_COLUMNS ", 0 AS not_run FROM results WHERE run_id = ?1 ORDER BY case_name", run,
                       0, each, context, error);
}

int history_state(struct history *history, int64_t as_of, enum history_cases_of cases,
                  int (*each)(void *context, const struct history_result *), void *context, struct error *error)
{
    static const char all[] =
        "SELECT " RESULT_COLUMNS ", not_run FROM state_results WHERE as_of = ?1 ORDER BY case_name",
                      ran[] = "SELECT " RESULT_COLUMNS ", not_run FROM state_results WHERE as_of = ?1 AND case_id IN "
                              "(SELECT case_id FROM result WHERE run_id = ?1) ORDER BY case_name";
    return each_result(history, cases == HISTORY_ALL ? all : ran, as_of, 0, each, context, error);
}

int history_state_before(struct history *history, int64_t before, int64_t as_of,
                         int (*each)(void *context, const struct history_result *), void *context, struct error *error)
{
    static const char sql[] = "SELECT " RESULT_COLUMNS ", not_run FROM state_results WHERE as_of = ?1 AND "
                              "(case_id IN (SELECT case_id FROM result WHERE run_id = ?2) OR "
                              "case_id NOT IN (SELECT case_id FROM state_cases WHERE as_of = ?2)) ORDER BY case_name";
    return each_result(history, sql, before, as_of, each, context, error);
}

int history_summary(struct history *history, int64_t as_of, struct history_summary *out, struct error *error)
{
    static const char sql[] =
        "SELECT count(*) AS cases, total(failed) AS failures, total(flaky) AS flaky, "
        "total(known) AS expected, total(run_id = ?1) AS ran, min(run_id) AS first_run, "
        "total((SELECT device_hash FROM run WHERE id = run_id) <> (SELECT device_hash FROM run WHERE id = ?1)) "
        "AS other_files, (SELECT max(whole.run_id) FROM conformance_runs AS whole WHERE whole.device = "
        "(SELECT device FROM runs WHERE runs.run_id = ?1) AND whole.run_id <= ?1 AND NOT whole.partial AND "
        "whole.state = 'complete') AS whole_run FROM state_results WHERE as_of = ?1";
    struct row row;
    *out = (struct history_summary){0};
    int result = history_read_prepare(history, sql, &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, as_of);
    int code = sqlite3_step(row.statement);
    if (code == SQLITE_ROW)
        *out = (struct history_summary){.cases = row_int(&row, "cases"),
                                        .failures = row_int(&row, "failures"),
                                        .flaky = row_int(&row, "flaky"),
                                        .expected = row_int(&row, "expected"),
                                        .ran = row_int(&row, "ran"),
                                        .first_run = row_int(&row, "first_run"),
                                        .whole_run = row_int(&row, "whole_run"),
                                        .other_files = row_int(&row, "other_files")};
    return history_read_finish(history, &row, code, error);
}

void history_describe(const struct history_run *run, const struct history_summary *summary, char *text, size_t size)
{
    const long long ran = summary->ran, cases = summary->cases, id = run->id;
    *text = '\0';
    if (summary->cases == summary->ran)
        return;
    snprintf(text, size, "%lld of %lld cases in run %lld, the others since run %lld", ran, cases, id,
             (long long)summary->first_run);
    size_t used = strlen(text);
    if (summary->other_files > 0)
        snprintf(text + used, size - used, ", %lld of them on another build of the device",
                 (long long)summary->other_files);
}

int history_attempts(struct history *history, int64_t run, bool state,
                     int (*each)(void *context, const struct history_attempt *), void *context, struct error *error)
{
    static const char of_run[] = "SELECT name, message, status FROM result JOIN test_case ON test_case.id = case_id "
                                 "LEFT JOIN detail USING (run_id, case_id, attempt) "
                                 "WHERE run_id = ?1 ORDER BY case_id, attempt",
                      of_state[] = "SELECT name, message, status FROM (SELECT run_id, case_id FROM state_cases WHERE "
                                   "as_of = ?1) JOIN result USING (run_id, case_id) JOIN test_case ON test_case.id = "
                                   "case_id LEFT JOIN detail USING (run_id, case_id, attempt) "
                                   "ORDER BY case_id, attempt";
    struct row row;
    int code = SQLITE_DONE, result = history_read_prepare(history, state ? of_state : of_run, &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, run);
    while (result == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const struct history_attempt found = {.case_name = row_text(&row, "name"),
                                              .message = row_text(&row, "message"),
                                              .status = status_find(row_text(&row, "status"))};
        result = found.status != STATUS_COUNT ? each(context, &found)
                                              : unknown_status(history, row_text(&row, "status"), error);
    }
    return finish_each(history, &row, code, result, error);
}

int history_samples(struct history *history, int64_t run, int (*each)(void *context, const struct history_sample *),
                    void *context, struct error *error)
{
    struct row row;
    int code = SQLITE_DONE,
        result = history_read_prepare(history,
                                      "SELECT case_name, host_ns, device_ns FROM samples WHERE run_id = ?1 "
                                      "ORDER BY case_name, repeat",
                                      &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, run);
    while (result == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const struct history_sample sample = {.case_name = row_text(&row, "case_name"),
                                              .host_ns = row_count(&row, "host_ns"),
                                              .device_ns = row_count(&row, "device_ns")};
        result = each(context, &sample);
    }
    return finish_each(history, &row, code, result, error);
}

int history_cases(struct history *history, int64_t before, int (*each)(void *context, const char *name), void *context,
                  struct error *error)
{
    struct row row;
    int code = SQLITE_DONE, result = history_read_prepare(history,
                                                          "SELECT name FROM test_case WHERE id IN "
                                                          "(SELECT case_id FROM result WHERE status <> 'incomplete' "
                                                          "AND (?1 = 0 OR run_id < ?1) AND " CONFORMANCE ")",
                                                          &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, before);
    while (result == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW)
        result = each(context, row_text(&row, "name"));
    return finish_each(history, &row, code, result, error);
}

int history_failing(struct history *history, int64_t run, int (*each)(void *context, const struct history_failing *),
                    void *context, struct error *error)
{
    static const char sql[] =
        "WITH line AS (SELECT case_name, run_id, failed, max(iif(failed, 0, run_id)) OVER "
        "                     (PARTITION BY case_name) AS good FROM case_history "
        "              WHERE run_id <= ?1 AND device = (SELECT device FROM runs WHERE run_id = ?1) "
        "              AND case_name IN (SELECT case_name FROM case_history WHERE run_id = ?1 AND failed)), "
        "begun AS (SELECT case_name, min(run_id) AS first FROM line WHERE run_id > good GROUP BY case_name) "
        "SELECT first, count(*) AS cases, min(case_name) AS case_name, started, revision "
        "FROM begun JOIN runs ON runs.run_id = first GROUP BY first ORDER BY first";
    struct row row;
    int result = history_read_prepare(history, sql, &row, error), code;
    if (result)
        return result;
    sqlite3_bind_int64(row.statement, 1, run);
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW && result == 0)
        result = each(context, &(struct history_failing){.run = row_int(&row, "first"),
                                                         .cases = row_int(&row, "cases"),
                                                         .started = row_text(&row, "started"),
                                                         .revision = row_text(&row, "revision"),
                                                         .case_name = row_text(&row, "case_name")});
    return finish_each(history, &row, code, result, error);
}
