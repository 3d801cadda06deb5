#include "harness/results/history.h"

#include "harness/base/pool.h"
#include "harness/results/row.h"

#include "generated/schema.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    APPLICATION_ID = 0x61736179, /* as in the schema */
    SCHEMA_VERSION = 3,
    BUSY_MS = 5000,
    TEXT_MAX = 16 << 20, /* bytes of a text or row */
    NAME_MAX = 64        /* bytes of the name of a table */
};

struct history {
    const char *path;
    sqlite3 *db;
    struct pool pool;
};

/* ---- errors */

static int fail(const struct history *h, struct error *error)
{
    const char *message = sqlite3_errmsg(h->db);
    switch (sqlite3_errcode(h->db)) {
    case SQLITE_NOTADB:
        return error_set(error, EXIT_HARNESS, "%s: not a database; expected an assay database", h->path);
    case SQLITE_CORRUPT:
        return error_set(error, EXIT_HARNESS, "%s: the database is damaged (%s); expected an intact assay database",
                         h->path, message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, EXIT_HARNESS, "%s: locked by another program for more than %d s", h->path,
                         BUSY_MS / 1000);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
        return error_set(error, EXIT_HARNESS,
                         "%s: cannot be read as it is (%s): its writer did not end well, and nothing can be written "
                         "beside it; copy it to a writable folder, with its -wal",
                         h->path, message);
    default:
        return error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database of schema version %d", h->path,
                         message, SCHEMA_VERSION);
    }
}

static int prepare(const struct history *h, const char *sql, sqlite3_stmt **out, struct error *error)
{
    return sqlite3_prepare_v2(h->db, sql, -1, out, NULL) == SQLITE_OK ? 0 : fail(h, error);
}

/* Ends a statement after its last step, which returned `code`. */
static int finish(const struct history *h, sqlite3_stmt *statement, int code, struct error *error)
{
    int result = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : fail(h, error);
    sqlite3_finalize(statement);
    return result;
}

/* ---- opening */

static int execute(const struct history *h, const char *sql, struct error *error)
{
    return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(h, error);
}

static int read_number(const struct history *h, const char *sql, const char *name, int64_t *out, struct error *error)
{
    sqlite3_stmt *statement;
    int result = prepare(h, sql, &statement, error);
    if (result)
        return result;
    if (name)
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    return finish(h, statement, code, error);
}

static int check_file(const struct history *h, struct error *error)
{
    struct stat file;
    if (stat(h->path, &file))
        return error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database", h->path, strerror(errno));
    if (!S_ISREG(file.st_mode))
        return error_set(error, EXIT_HARNESS, "%s: not a plain file; expected an assay database", h->path);
    return 0;
}

static int check_version(const struct history *h, struct error *error)
{
    int64_t id, version;
    int result;
    if ((result = read_number(h, "PRAGMA application_id", NULL, &id, error)) ||
        (result = read_number(h, "PRAGMA user_version", NULL, &version, error)))
        return result;
    if (id != APPLICATION_ID)
        return error_set(error, EXIT_HARNESS, "%s: a database of another program; expected an assay database", h->path);
    if (version != SCHEMA_VERSION)
        return error_set(error, EXIT_HARNESS, "%s: has schema version %lld; this assay reads version %d", h->path,
                         (long long)version, SCHEMA_VERSION);
    return 0;
}

/* A view in the place of a table could go on for ever. Tables that are not there show when they are asked. */
static int check_tables(const struct history *h, struct error *error)
{
    static const char before[] = "CREATE TABLE ";
    for (const char *at = schema_sql; (at = strstr(at, before));) {
        char name[NAME_MAX];
        int64_t others;
        at += sizeof before - 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " ("), at);
        int result = read_number(h,
                                 "SELECT count(*) FROM pragma_table_list "
                                 "WHERE schema = 'main' AND name = ?1 COLLATE NOCASE AND type <> 'table'",
                                 name, &others, error);
        if (result)
            return result;
        if (others)
            return error_set(error, EXIT_HARNESS, "%s: %s is no plain table; expected an assay database", h->path,
                             name);
    }
    return 0;
}

/* The schema's views, as temporary ones, which are found before those of the file. */
static int make_views(struct history *h, struct error *error)
{
    static const char before[] = "CREATE VIEW ", instead[] = "CREATE TEMP VIEW ";
    char *sql = pool_alloc(&h->pool, 2 * sizeof schema_sql), *end = sql;
    const char *from = strstr(schema_sql, before);
    for (const char *next; from; from = next) {
        from += sizeof before - 1;
        next = strstr(from, before);
        size_t length = next ? (size_t)(next - from) : strlen(from);
        end = stpcpy(end, instead);
        memcpy(end, from, length);
        end += length;
        *end = '\0';
    }
    return execute(h, sql, error);
}

static int open_database(struct history *h, struct error *error)
{
    /* "file:…" and ":memory:" are names like any other here. */
    const char *path = h->path[0] == '/' ? h->path : pool_format(&h->pool, "./%s", h->path);
    int result = check_file(h, error);
    if (result)
        return result;
    if (sqlite3_open_v2(path, &h->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return h->db ? fail(h, error) : error_set(error, EXIT_HARNESS, "%s: out of memory", h->path);
    sqlite3_busy_timeout(h->db, BUSY_MS);
    sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(h->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(h->db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    sqlite3_limit(h->db, SQLITE_LIMIT_ATTACHED, 0);
    if ((result = execute(h, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", error)) ||
        (result = check_version(h, error)) || (result = check_tables(h, error)) || (result = make_views(h, error)))
        return result;
    return execute(h, "BEGIN", error);
}

int history_open(const char *path, struct history **out, struct error *error)
{
    struct history *h = calloc(1, sizeof *h);
    *out = NULL;
    if (!h)
        return error_set(error, EXIT_HARNESS, "%s: out of memory", path);
    h->path = pool_string(&h->pool, path);
    int result = open_database(h, error);
    if (result)
        history_close(h);
    else
        *out = h;
    return result;
}

int history_adopt(struct sqlite3 *db, const char *name, struct history **out, struct error *error)
{
    struct history *h = *out = calloc(1, sizeof *h);
    if (!h) {
        sqlite3_close(db);
        return error_set(error, EXIT_HARNESS, "%s: out of memory", name);
    }
    h->db = db;
    h->path = pool_string(&h->pool, name);
    return 0;
}

void history_close(struct history *history)
{
    if (!history)
        return;
    sqlite3_close(history->db);
    pool_clear(&history->pool);
    free(history);
}

struct sqlite3 *history_database(const struct history *history)
{
    return history->db;
}

const char *history_path(const struct history *history)
{
    return history->path;
}

/* ---- runs */

#define RUN_COLUMNS                                                                                                    \
    "SELECT run_id, device, state, started, ended, device_name, device_driver, device_version, feature_level, "        \
    "version, seed, planned, plan_hash, shard, shards FROM runs "

static void take_run(struct history *h, sqlite3_stmt *row, struct history_run *run)
{
    const char **texts[] = {&run->device,         &run->state,         &run->started,
                            &run->ended,          &run->device_name,   &run->device_driver,
                            &run->device_version, &run->feature_level, &run->version};
    for (int i = 0; i < 9; i++)
        *texts[i] = pool_string(&h->pool, row_text(row, 1 + i));
    run->id = sqlite3_column_int64(row, 0);
    run->seed = strtoull(row_text(row, 10), NULL, 0);
    run->planned = sqlite3_column_int64(row, 11);
    run->plan_hash = strtoull(row_text(row, 12), NULL, 0);
    run->shard = (unsigned)sqlite3_column_int(row, 13);
    run->shards = (unsigned)sqlite3_column_int(row, 14);
}

int history_run(struct history *history, int64_t id, struct history_run *run, struct error *error)
{
    sqlite3_stmt *row;
    int result = prepare(history, RUN_COLUMNS "WHERE run_id = ?1", &row, error);
    if (result)
        return result;
    sqlite3_bind_int64(row, 1, id);
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        take_run(history, row, run);
    if ((result = finish(history, row, code, error)) || code == SQLITE_ROW)
        return result;
    int64_t last;
    if ((result = read_number(history, "SELECT max(run_id) FROM runs", NULL, &last, error)))
        return result;
    return error_set(error, EXIT_NO_MATCH, "%s: has no run %lld%s; its last is %lld", history->path, (long long)id,
                     last ? "" : ", nor any other", (long long)last);
}

int history_last_run(struct history *history, const char *device, int64_t before, struct history_run *run,
                     struct error *error)
{
    sqlite3_stmt *row;
    int result = prepare(history,
                         RUN_COLUMNS "WHERE (?1 IS NULL OR device = ?1) AND (?2 = 0 OR run_id < ?2) "
                                     "ORDER BY run_id DESC LIMIT 1",
                         &row, error);
    if (result)
        return result;
    sqlite3_bind_text(row, 1, device, -1, SQLITE_STATIC);
    sqlite3_bind_int64(row, 2, before);
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        take_run(history, row, run);
    if ((result = finish(history, row, code, error)) || code == SQLITE_ROW)
        return result;
    char earlier[48] = "";
    if (before)
        snprintf(earlier, sizeof earlier, " before run %lld", (long long)before);
    return error_set(error, EXIT_NO_MATCH, "%s: has no run%s%s%s", history->path, device ? " of device " : "",
                     device ? device : "", earlier);
}

static int read_runs(struct history *history, const char *sql, struct history_run *runs, int max, int *count,
                     struct error *error)
{
    sqlite3_stmt *rows;
    int code = SQLITE_DONE, result = prepare(history, sql, &rows, error);
    *count = 0;
    if (result)
        return result;
    sqlite3_bind_int(rows, 1, max);
    while (*count < max && (code = sqlite3_step(rows)) == SQLITE_ROW)
        take_run(history, rows, &runs[(*count)++]);
    return finish(history, rows, code, error);
}

int history_last_runs(struct history *history, struct history_run *runs, int max, int *count, struct error *error)
{
    return read_runs(history,
                     RUN_COLUMNS "WHERE run_id IN (SELECT max(run_id) FROM runs GROUP BY device) "
                                 "ORDER BY run_id DESC LIMIT ?1",
                     runs, max, count, error);
}

int history_last_invocation(struct history *history, struct history_run *runs, int max, int *count, struct error *error)
{
    int result = read_runs(history,
                           RUN_COLUMNS "WHERE invocation_id = (SELECT max(invocation_id) FROM runs) "
                                       "ORDER BY run_id LIMIT ?1",
                           runs, max, count, error);
    if (result || *count > 0)
        return result;
    return error_set(error, EXIT_NO_MATCH, "%s: has no run of `assay run`", history->path);
}

int history_runs_wanted(struct history *history)
{
    int64_t wanted = 0;
    read_number(history, "SELECT runs FROM invocation WHERE id = (SELECT max(invocation_id) FROM run)", NULL, &wanted,
                NULL);
    return (int)wanted;
}

int history_running(struct history *history, int64_t run, int (*each)(void *context, const struct history_running *),
                    void *context, struct error *error)
{
    sqlite3_stmt *rows;
    int code = SQLITE_DONE,
        result = prepare(history, "SELECT worker, case_name, cases, seconds FROM running WHERE run_id = ?1 ORDER BY 1",
                         &rows, error);
    if (result)
        return result;
    sqlite3_bind_int64(rows, 1, run);
    while (result == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const struct history_running running = {sqlite3_column_int(rows, 0), row_text(rows, 1),
                                                sqlite3_column_int64(rows, 2), sqlite3_column_double(rows, 3)};
        result = each(context, &running);
    }
    int ended = finish(history, rows, code, error);
    return result ? result : ended;
}

/* ---- results */

static int unknown_status(const struct history *h, const char *status, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: a case has the status '%s', which this assay does not know", h->path,
                     status);
}

int history_results(struct history *history, int64_t run, int (*each)(void *context, const struct history_result *),
                    void *context, struct error *error)
{
    sqlite3_stmt *rows;
    int code = SQLITE_DONE, result = prepare(history,
                                             "SELECT case_name, operator, rule, message, reproduce, outcome, status, "
                                             "flaky, expectation "
                                             "FROM results WHERE run_id = ?1 ORDER BY case_name",
                                             &rows, error);
    if (result)
        return result;
    sqlite3_bind_int64(rows, 1, run);
    while (result == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *expectation = row_text(rows, 8);
        const struct record record = {.status = status_find(row_text(rows, 6)),
                                      .flaky = sqlite3_column_int(rows, 7) != 0,
                                      .standing = strcmp(expectation, "expected") == 0     ? STANDING_EXPECTED
                                                  : strcmp(expectation, "unexpected") == 0 ? STANDING_UNEXPECTED
                                                                                           : STANDING_NONE};
        const struct history_result found = {.case_name = row_text(rows, 0),
                                             .operator_name = row_text(rows, 1),
                                             .rule = row_text(rows, 2),
                                             .message = row_text(rows, 3),
                                             .reproduce = row_text(rows, 4),
                                             .outcome = row_text(rows, 5),
                                             .status = record.status,
                                             .failure = record_is_failure(&record)};
        result =
            record.status != STATUS_COUNT ? each(context, &found) : unknown_status(history, row_text(rows, 6), error);
    }
    int ended = finish(history, rows, code, error);
    return result ? result : ended;
}

int history_attempts(struct history *history, int64_t run, int (*each)(void *context, const struct history_attempt *),
                     void *context, struct error *error)
{
    sqlite3_stmt *rows;
    int code = SQLITE_DONE,
        result =
            prepare(history,
                    "SELECT name, status, ifnull(message, '') FROM result JOIN test_case ON test_case.id = case_id "
                    "LEFT JOIN detail USING (run_id, case_id, attempt) "
                    "WHERE run_id = ?1 ORDER BY case_id, attempt",
                    &rows, error);
    if (result)
        return result;
    sqlite3_bind_int64(rows, 1, run);
    while (result == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        const struct history_attempt found = {
            .case_name = row_text(rows, 0), .message = row_text(rows, 2), .status = status_find(row_text(rows, 1))};
        result =
            found.status != STATUS_COUNT ? each(context, &found) : unknown_status(history, row_text(rows, 1), error);
    }
    int ended = finish(history, rows, code, error);
    return result ? result : ended;
}

int history_samples(struct history *history, int64_t run, int (*each)(void *context, const struct history_sample *),
                    void *context, struct error *error)
{
    sqlite3_stmt *rows;
    int64_t kept; /* databases made before there were samples have none */
    int code = SQLITE_DONE,
        result = read_number(history, "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND name = ?1",
                             "timing_sample", &kept, error);
    if (result || !kept)
        return result;
    result = prepare(history,
                     "SELECT case_name, host_ns, device_ns FROM samples WHERE run_id = ?1 ORDER BY case_name, repeat",
                     &rows, error);
    if (result)
        return result;
    sqlite3_bind_int64(rows, 1, run);
    while (result == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        int64_t host = sqlite3_column_int64(rows, 1), device = sqlite3_column_int64(rows, 2);
        const struct history_sample sample = {.case_name = row_text(rows, 0),
                                              .host_ns = host > 0 ? (uint64_t)host : 0,
                                              .device_ns = device > 0 ? (uint64_t)device : 0};
        result = each(context, &sample);
    }
    int ended = finish(history, rows, code, error);
    return result ? result : ended;
}

int history_cases(struct history *history, int64_t before, int (*each)(void *context, const char *name), void *context,
                  struct error *error)
{
    sqlite3_stmt *rows;
    int code = SQLITE_DONE, result = prepare(history,
                                             "SELECT name FROM test_case WHERE id IN "
                                             "(SELECT case_id FROM result WHERE status <> 'incomplete' "
                                             "AND (?1 = 0 OR run_id < ?1))",
                                             &rows, error);
    if (result)
        return result;
    sqlite3_bind_int64(rows, 1, before);
    while (result == 0 && (code = sqlite3_step(rows)) == SQLITE_ROW)
        result = each(context, row_text(rows, 0));
    int ended = finish(history, rows, code, error);
    return result ? result : ended;
}
