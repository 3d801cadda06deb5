/* Reads the results that the run already has, and notes the batches that it is running. */
#include "harness/results/record_row.h"
#include "harness/results/store_internal.h"

#include <stdlib.h>
#include <string.h>

/* Takes the first step of a query about one case of the run: ?1 is the run, ?2 the case. The step returned `*code`. The
 * caller closes the row, unless there is an error. */
static int store_recall_ask(struct store *store, const char *sql, const char *case_name, struct row *row, int *code,
                            struct error *error)
{
    if (row_prepare(row, store->db, sql) != SQLITE_OK)
        return store_fail(store, error);
    sqlite3_bind_int64(row->statement, 1, store->run_id);
    sqlite3_bind_text(row->statement, 2, case_name, -1, SQLITE_STATIC);
    *code = sqlite3_step(row->statement);
    if (*code == SQLITE_ROW || *code == SQLITE_DONE)
        return 0;
    store_fail(store, error);
    row_close(row);
    return EXIT_HARNESS;
}

int store_knows(struct store *store, const char *case_name, bool *known, struct error *error)
{
    static const char sql[] = "SELECT 1 FROM result WHERE run_id = ?1 AND "
                              "case_id = (SELECT id FROM test_case WHERE name = ?2) LIMIT 1";
    struct row row;
    int code, result = store_recall_ask(store, sql, case_name, &row, &code, error);
    if (result)
        return result;
    *known = code == SQLITE_ROW;
    row_close(&row);
    return 0;
}

/* Reads the statuses of all attempts at a case, as bits. */
static int find_statuses(struct store *store, const char *case_name, uint32_t *statuses, struct error *error)
{
    static const char sql[] = "SELECT status FROM result WHERE run_id = ?1 AND "
                              "case_id = (SELECT id FROM test_case WHERE name = ?2)";
    struct row row;
    int code, result = store_recall_ask(store, sql, case_name, &row, &code, error);
    if (result)
        return result;
    for (; code == SQLITE_ROW; code = sqlite3_step(row.statement)) {
        enum status status = status_find(row_text(&row, "status"));
        *statuses |= status < STATUS_COUNT ? 1u << status : 0;
    }
    if (code != SQLITE_DONE)
        result = store_fail(store, error);
    row_close(&row);
    return result;
}

int store_recall(struct store *store, const char *case_name, const char *device,
                 int (*each)(void *context, const struct record *record, struct error *error), void *context,
                 struct error *error)
{
    static const char sql[] = "SELECT " RECORD_ROW " FROM results WHERE run_id = ?1 AND case_name = ?2";
    struct record record;
    struct row row;
    int code, result = store_recall_ask(store, sql, case_name, &row, &code, error);
    if (result)
        return result;
    record_row(&row, &record);
    record.case_name = case_name;
    record.device = device;
    if (record.verdict.status == STATUS_COUNT) {
        result = error_set(error, EXIT_HARNESS, "%s: %s has the status '%s', which this assay does not know",
                           store->path, case_name, row_text(&row, "status"));
        row_close(&row);
        return result;
    }
    result = record.flaky ? find_statuses(store, case_name, &record.statuses, error) : 0;
    if (result == 0)
        result = each(context, &record, error);
    row_close(&row);
    return result;
}

/* Runs `sql` once for each of `count` items. ?1 is the run; bind() binds the item, unless null. */
static int for_each(struct store *store, const char *sql, size_t count,
                    void (*bind)(sqlite3_stmt *, const void *, size_t), const void *items, struct error *error)
{
    sqlite3_stmt *statement;
    int status = store_begin(store, error);
    if (status)
        return status;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_fail(store, error);
    for (size_t i = 0; i < count && status == 0; i++) {
        sqlite3_bind_int64(statement, 1, store->run_id);
        if (bind)
            bind(statement, items, i);
        if (sqlite3_step(statement) != SQLITE_DONE)
            status = store_fail(store, error);
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static void bind_name(sqlite3_stmt *statement, const void *items, size_t i)
{
    sqlite3_bind_text(statement, 2, ((const char *const *)items)[i], -1, SQLITE_STATIC);
}

int store_keep_only(struct store *store, const char *const *names, size_t count, struct error *error)
{
    static const char mark[] = "INSERT OR IGNORE INTO temp.wanted SELECT id FROM test_case WHERE name = ?2 AND ?1";
    static const char *const deletes[] = {
        "DELETE FROM detail WHERE run_id = ?1 AND case_id NOT IN (SELECT id FROM temp.wanted)",
        "DELETE FROM result WHERE run_id = ?1 AND case_id NOT IN (SELECT id FROM temp.wanted)"};
    if (sqlite3_exec(store->db, "CREATE TEMP TABLE wanted (id INTEGER PRIMARY KEY)", NULL, NULL, NULL) != SQLITE_OK)
        return store_fail(store, error);
    int status = for_each(store, mark, count, bind_name, names, error);
    for (int i = 0; i < 2 && status == 0; i++)
        status = for_each(store, deletes[i], 1, NULL, NULL, error);
    if (status == 0)
        status = store_flush(store, error);
    sqlite3_exec(store->db, "DROP TABLE temp.wanted", NULL, NULL, NULL);
    return status;
}

static void bind_running(sqlite3_stmt *statement, const void *items, size_t i)
{
    const struct store_running *running = (const struct store_running *)items + i;
    sqlite3_bind_int64(statement, 2, (int64_t)i + 1);
    sqlite3_bind_text(statement, 3, running->case_name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 4, (int64_t)running->cases);
    sqlite3_bind_double(statement, 5, running->seconds);
}

int store_note_running(struct store *store, const struct store_running *running, unsigned count, struct error *error)
{
    int status = for_each(store, "DELETE FROM running WHERE run_id = ?1", 1, NULL, NULL, error);
    if (status == 0)
        status =
            for_each(store, "INSERT INTO running VALUES (?1, ?2, ?3, ?4, ?5)", count, bind_running, running, error);
    return status ? status : store_flush(store, error);
}

bool store_times(struct store *store, const char *device,
                 void (*each)(void *context, const char *case_name, uint64_t ns), void *context)
{
    static const char sql[] =
        "SELECT name, host_ns FROM result JOIN test_case ON test_case.id = case_id WHERE run_id = "
        "(SELECT max(run.id) FROM run JOIN device ON device.id = device_id WHERE device.device = ?2 AND run.id < ?1)";
    struct row row;
    int code;
    if (row_prepare(&row, store->db, sql) != SQLITE_OK)
        return false;
    sqlite3_bind_int64(row.statement, 1, store->run_id);
    sqlite3_bind_text(row.statement, 2, device, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW)
        each(context, row_text(&row, "name"), (uint64_t)row_int(&row, "host_ns"));
    row_close(&row);
    return code == SQLITE_DONE;
}
