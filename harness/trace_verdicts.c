#include "harness/trace.h"

#include "harness/nametable.h"
#include "harness/text.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* What a reader must not miss comes last. */
static const enum status by_weight[STATUS_COUNT] = {
    STATUS_SKIP,        STATUS_PASS,    STATUS_UNSUPPORTED, STATUS_WARN,          STATUS_INCOMPLETE,
    STATUS_DEVICE_LOST, STATUS_TIMEOUT, STATUS_FAIL,        STATUS_HARNESS_ERROR, STATUS_CRASH};

static int weight(int status)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        if ((int)by_weight[i] == status)
            return i;
    return -1;
}

static int prepare(sqlite3 *db, const char *path, const char *sql, sqlite3_stmt **out, struct error *error)
{
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) == SQLITE_OK)
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database", path, sqlite3_errmsg(db));
}

static void add_verdict(struct trace *trace, int device, const struct testcase *c, int status)
{
    for (int i = 0; i < trace->count; i++) {
        struct carrier *carrier = &trace->carriers[i];
        if (carrier->spec == c->spec && carrier_evidence(carrier, c) != EVIDENCE_NONE &&
            weight(status) > weight(carrier->verdicts[device]))
            carrier->verdicts[device] = status;
    }
}

/* The results of the last run of one device. */
static int read_run(struct trace *trace, sqlite3 *db, const char *path, const struct nametable *cases, int device,
                    int64_t run, struct error *error)
{
    sqlite3_stmt *rows;
    int code, result = prepare(db, path, "SELECT case_name, status FROM results WHERE run_id = ?1", &rows, error);
    if (result)
        return result;
    sqlite3_bind_int64(rows, 1, run);
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        const char *status_text = (const char *)sqlite3_column_text(rows, 1);
        enum status status = status_find(status_text ? status_text : "");
        uint32_t number = name ? nametable_find(cases, &name, 1) : 0;
        if (number > 0 && status != STATUS_COUNT)
            add_verdict(trace, device, &trace->plan->cases[number - 1], (int)status);
    }
    if (code != SQLITE_DONE)
        result = error_set(error, EXIT_HARNESS, "%s: %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(rows);
    return result;
}

static int read_database(struct trace *trace, sqlite3 *db, const char *path, const struct nametable *cases,
                         struct error *error)
{
    sqlite3_stmt *runs;
    int64_t last[TRACE_MAX_DEVICES];
    char name[256];
    int code,
        result = prepare(db, path, "SELECT device, max(run_id) FROM runs GROUP BY device ORDER BY 2 DESC LIMIT ?1",
                         &runs, error);
    if (result)
        return result;
    sqlite3_bind_int(runs, 1, TRACE_MAX_DEVICES);
    while ((code = sqlite3_step(runs)) == SQLITE_ROW && trace->device_count < TRACE_MAX_DEVICES) {
        const char *device = (const char *)sqlite3_column_text(runs, 0);
        last[trace->device_count] = sqlite3_column_int64(runs, 1);
        text_visible(name, sizeof name, device ? device : "");
        trace->devices[trace->device_count++] = pool_string(&trace->pool, name);
    }
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        result = error_set(error, EXIT_HARNESS, "%s: %s", path, sqlite3_errmsg(db));
    sqlite3_finalize(runs);
    for (int i = 0; i < trace->device_count && result == 0; i++)
        result = read_run(trace, db, path, cases, i, last[i], error);
    return result;
}

int trace_verdicts(struct trace *trace, const char *path, struct error *error)
{
    sqlite3 *db = NULL;
    struct nametable cases = {0};
    int result = 0;
    for (size_t i = 0; i < trace->plan->count && result == 0; i++)
        if (!nametable_add(&cases, &trace->plan->cases[i].name, 1, (int64_t)i + 1))
            result = error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", trace->plan->count);
    if (result == 0 && sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        result = error_set(error, EXIT_HARNESS, "%s: %s", path, db ? sqlite3_errmsg(db) : "no memory");
    if (result == 0) {
        /* Somebody may have sent the file: its views must do nothing but read. */
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        result = read_database(trace, db, path, &cases, error);
    }
    sqlite3_close(db);
    nametable_destroy(&cases);
    return result;
}
