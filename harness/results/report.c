#include "harness/results/guard.h"
#include "harness/results/report.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct report_form *const report_forms[] = {&report_html,   &report_markdown,    &report_junit,
                                                  &report_csv,    &report_json,        &report_causes,
                                                  &report_github, &report_codequality, NULL};

enum { DEVICES_MAX = 256 };

/* Returns the id in the joined database of run `number` of `database`; 0: no such run. */
static int64_t report_find_run(const struct report *report, const char *database, int64_t number)
{
    sqlite3_stmt *row;
    int64_t id = 0;
    if (sqlite3_prepare_v2(history_database(report->history),
                           "SELECT run_id FROM source WHERE database = ?1 AND original = ?2", -1, &row,
                           NULL) != SQLITE_OK)
        return 0;
    sqlite3_bind_text(row, 1, database, -1, SQLITE_STATIC);
    sqlite3_bind_int64(row, 2, number);
    if (sqlite3_step(row) == SQLITE_ROW)
        id = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    return id;
}

/* Reads "DB#N", or "#N" or "N" if there is one database. */
static int read_baseline(const struct report *report, const char *text, struct history_run *run, struct error *error)
{
    const char *mark = strrchr(text, '#'), *number = mark ? mark + 1 : text;
    char *end, *database;
    long long wanted = strtoll(number, &end, 10);
    if (*end || end == number || wanted <= 0)
        return error_set(error, EXIT_USAGE, "--baseline: expected a run, as in results.db#3, not '%s'", text);
    database = mark && mark > text ? strndup(text, (size_t)(mark - text)) : NULL;
    if (!database && report->database_count > 1)
        return error_set(error, EXIT_USAGE, "--baseline: run %lld of which database? As in results.db#%lld", wanted,
                         wanted);
    int64_t id = report_find_run(report, database ? database : report->databases[0], wanted);
    if (id == 0)
        error_set(error, EXIT_NO_MATCH, "--baseline: there is no run %lld in %s", wanted,
                  database ? database : report->databases[0]);
    free(database);
    return id ? history_run(report->history, id, run, error) : EXIT_NO_MATCH;
}

/* Replaces the baselines of devices by the runs that the user named. */
static int choose_baselines(struct report *report, const char *const *baselines, size_t count, struct error *error)
{
    for (size_t b = 0; b < count; b++) {
        struct history_run run;
        int result = read_baseline(report, baselines[b], &run, error);
        if (result)
            return result;
        for (size_t i = 0; i < report->device_count; i++)
            if (strcmp(report->devices[i].run.device, run.device) == 0) {
                report->devices[i].before = run.id == report->devices[i].run.id ? (struct history_run){0} : run;
                report->devices[i].given = true;
            }
    }
    return 0;
}

static int by_run(const void *a, const void *b)
{
    const struct report_device *x = a, *y = b;
    return (x->run.id > y->run.id) - (x->run.id < y->run.id);
}

static int report_unreadable(const struct report *report, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the results cannot be read: %s",
                     guard_message(history_database(report->history)));
}

static int report_execute(const struct report *report, const char *sql, struct error *error)
{
    bool good = sqlite3_exec(history_database(report->history), sql, NULL, NULL, NULL) == SQLITE_OK;
    return good ? 0 : report_unreadable(report, error);
}

/* Reads the state right after a run into a temporary table, if no table has it. The rows are in the order of names, so
 * that the index grows at one end. */
static int keep_state(const struct report *report, int64_t as_of, const char *table, struct error *error)
{
    char sql[300];
    snprintf(sql, sizeof sql,
             "INSERT INTO temp.%s SELECT * FROM main.state_results WHERE as_of = %" PRId64 " AND NOT EXISTS "
             "(SELECT 1 FROM temp.state_results AS kept WHERE kept.as_of = %" PRId64 ") ORDER BY case_name",
             table, as_of, as_of);
    return report_execute(report, sql, error);
}

int report_keep_state(const struct report *report, int64_t as_of, struct error *error)
{
    return keep_state(report, as_of, "earlier_results", error);
}

/* Makes a view of the database anew, over the tables that are kept. */
static int keep_view(const struct report *report, const char *name, struct error *error)
{
    static const char find[] = "SELECT 'CREATE TEMP VIEW' || substr(sql, 1 + length('CREATE VIEW')) FROM "
                               "main.sqlite_schema WHERE type = 'view' AND name = ?1";
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(history_database(report->history), find, -1, &row, NULL) != SQLITE_OK)
        return report_unreadable(report, error);
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    int result = sqlite3_step(row) == SQLITE_ROW
                     ? report_execute(report, (const char *)sqlite3_column_text(row, 0), error)
                     : report_unreadable(report, error);
    sqlite3_finalize(row);
    return result;
}

/* Reads the current state of all devices, which the report uses many times, into a temporary table. It and views over
 * it hide the views of the same names. */
static int keep_states(const struct report *report, struct error *error)
{
    static const char sql[] =
        "CREATE TEMP TABLE current_results AS SELECT * FROM main.current_results WHERE 0;"
        "CREATE TEMP TABLE earlier_results AS SELECT * FROM main.state_results WHERE 0;"
        "CREATE INDEX temp.current_results_as_of ON current_results (as_of, case_name);"
        "CREATE INDEX temp.earlier_results_as_of ON earlier_results (as_of, case_name);"
        "CREATE TEMP VIEW state_results AS SELECT * FROM current_results UNION ALL SELECT * FROM earlier_results;"
        "CREATE TEMP VIEW state_cases AS SELECT as_of, case_id, run_id, not_run FROM state_results";
    int result = report_execute(report, sql, error);
    for (size_t i = 0; i < report->device_count && result == 0; i++)
        result = keep_state(report, report->devices[i].run.id, "current_results", error);
    return result ? result : keep_view(report, "current_conformance", error);
}

/* Finds the last run of each device and the run before it. */
static int find_devices(struct report *report, struct error *error)
{
    struct history_run *runs = calloc(DEVICES_MAX, sizeof *runs);
    int count = 0;
    report->devices = calloc(DEVICES_MAX, sizeof *report->devices);
    int result = runs && report->devices ? history_last_runs(report->history, runs, DEVICES_MAX, &count, error)
                                         : error_set(error, EXIT_HARNESS, "out of memory");
    report->device_count = (size_t)count;
    for (int i = 0; i < count; i++) {
        struct error none = {0};
        report->devices[i].run = runs[i];
        if (history_last_run(report->history, runs[i].device, runs[i].id, &report->devices[i].before, &none))
            report->devices[i].before = (struct history_run){0};
    }
    if (count > 0)
        qsort(report->devices, report->device_count, sizeof *report->devices, by_run);
    free(runs);
    return result;
}

static int report_sum_up(struct report *report, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < report->device_count && result == 0; i++)
        result = history_summary(report->history, report->devices[i].run.id, &report->devices[i].summary, error);
    return result;
}

int report_open(struct report *report, const char *const *databases, size_t count, const char *const *baselines,
                size_t baseline_count, struct error *error)
{
    *report = (struct report){.databases = databases, .database_count = count};
    int result = history_join(databases, count, &report->history, error);
    if (result == 0)
        result = find_devices(report, error);
    if (result == 0)
        result = keep_states(report, error);
    if (result == 0)
        result = report_sum_up(report, error);
    return result ? result : choose_baselines(report, baselines, baseline_count, error);
}

void report_close(struct report *report)
{
    history_close(report->history);
    free(report->devices);
    *report = (struct report){0};
}
