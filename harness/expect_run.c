#include "harness/expect_run.h"

#include "harness/nametable.h"

#include <sqlite3.h>
#include <stdlib.h>

struct reader {
    struct expect_run *run;
    sqlite3 *db;
    const char *path;
    struct nametable places; /* of the plan's cases, + 1 */
};

static int prepare(const struct reader *r, const char *sql, int64_t id, sqlite3_stmt **out, struct error *error)
{
    if (sqlite3_prepare_v2(r->db, sql, -1, out, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database", r->path, sqlite3_errmsg(r->db));
    sqlite3_bind_int64(*out, 1, id);
    return 0;
}

static const char *text_of(struct reader *r, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? pool_string(&r->run->pool, text) : "";
}

static int read_device(struct reader *r, int64_t id, struct error *error)
{
    struct expect_device *device = &r->run->device;
    sqlite3_stmt *row;
    int result = prepare(r,
                         "SELECT run_id, device, device_name, device_driver, device_version, feature_level FROM runs "
                         "WHERE run_id = ?1 OR ?1 = 0 ORDER BY run_id DESC LIMIT 1",
                         id, &row, error);
    if (result)
        return result;
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW) {
        r->run->id = sqlite3_column_int64(row, 0);
        device->device = text_of(r, row, 1);
        device->name = text_of(r, row, 2);
        device->driver = text_of(r, row, 3);
        device->version = text_of(r, row, 4);
        device->level = level_find(text_of(r, row, 5));
    } else if (code != SQLITE_DONE) {
        result = error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database", r->path, sqlite3_errmsg(r->db));
    } else if (id) {
        result = error_set(error, EXIT_HARNESS, "%s: there is no run %lld in it", r->path, (long long)id);
    } else {
        result = error_set(error, EXIT_HARNESS, "%s: there is no run in it", r->path);
    }
    sqlite3_finalize(row);
    return result;
}

static void add_attempt(struct reader *r, uint32_t place, enum status status, sqlite3_stmt *row)
{
    bool failed_before = false;
    for (int s = 0; s < STATUS_COUNT; s++)
        failed_before |= (r->run->statuses[place] >> s & 1) && status_is_failure((enum status)s);
    r->run->known += r->run->statuses[place] == 0;
    r->run->statuses[place] |= 1u << status;
    if (!failed_before)
        r->run->messages[place] = text_of(r, row, 2);
}

static int read_results(struct reader *r, struct error *error)
{
    sqlite3_stmt *rows;
    int code, result = prepare(r,
                               "SELECT name, status, message FROM result JOIN test_case ON test_case.id = case_id "
                               "LEFT JOIN detail USING (run_id, case_id, attempt) "
                               "WHERE run_id = ?1 ORDER BY case_id, attempt",
                               r->run->id, &rows, error);
    if (result)
        return result;
    while ((code = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        const char *word = (const char *)sqlite3_column_text(rows, 1);
        enum status status = status_find(word ? word : "");
        uint32_t place = name ? nametable_find(&r->places, &name, 1) : 0;
        if (place > 0 && status != STATUS_COUNT && status != STATUS_INCOMPLETE)
            add_attempt(r, place - 1, status, rows);
    }
    if (code != SQLITE_DONE)
        result = error_set(error, EXIT_HARNESS, "%s: %s", r->path, sqlite3_errmsg(r->db));
    sqlite3_finalize(rows);
    return result;
}

int expect_run_read(struct expect_run *run, const char *path, int64_t id, const struct plan *plan, struct error *error)
{
    struct reader r = {.run = run, .path = path};
    int result = 0;
    run->statuses = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->statuses);
    run->messages = pool_alloc(&run->pool, (plan->count + 1) * sizeof *run->messages);
    for (size_t i = 0; i < plan->count && result == 0; i++) {
        run->messages[i] = "";
        if (!nametable_add(&r.places, &plan->cases[i].name, 1, (int64_t)i + 1))
            result = error_set(error, EXIT_HARNESS, "out of memory for the names of %zu cases", plan->count);
    }
    if (result == 0 && sqlite3_open_v2(path, &r.db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        result = error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database", path,
                           r.db ? sqlite3_errmsg(r.db) : "no memory");
    if (result == 0) {
        /* Somebody may have sent the file: its views must do nothing but read. */
        sqlite3_db_config(r.db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(r.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        result = read_device(&r, id, error);
    }
    if (result == 0)
        result = read_results(&r, error);
    sqlite3_close(r.db);
    nametable_destroy(&r.places);
    return result;
}

void expect_run_free(struct expect_run *run)
{
    pool_clear(&run->pool);
    *run = (struct expect_run){0};
}
