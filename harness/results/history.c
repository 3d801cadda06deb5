#include "harness/results/history_internal.h"

#include "harness/results/schema_version.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_MS = 5000 };

/* ---- errors */

int history_fail(const struct history *h, struct error *error)
{
    const char *message = guard_message(h->db);
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
    case SQLITE_INTERRUPT:
        return error_set(error, EXIT_HARNESS, "%s: %s", h->path, message);
    default:
        return error_set(error, EXIT_HARNESS, "%s: %s; expected an assay database of schema version %d", h->path,
                         message, SCHEMA_VERSION);
    }
}

/* ---- opening */

static int history_execute(const struct history *h, const char *sql, struct error *error)
{
    return sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : history_fail(h, error);
}

int history_number(const struct history *h, const char *sql, const char *name, int64_t *out, struct error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(h->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return history_fail(h, error);
    if (name)
        sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    int result = code == SQLITE_DONE || code == SQLITE_ROW ? 0 : history_fail(h, error);
    sqlite3_finalize(statement);
    return result;
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
    if ((result = history_number(h, "PRAGMA application_id", NULL, &id, error)) ||
        (result = history_number(h, "PRAGMA user_version", NULL, &version, error)))
        return result;
    if (id != SCHEMA_APPLICATION_ID)
        return error_set(error, EXIT_HARNESS, "%s: a database of another program; expected an assay database", h->path);
    if (version != SCHEMA_VERSION)
        return error_set(error, EXIT_HARNESS, "%s: has schema version %lld; this assay reads version %d", h->path,
                         (long long)version, SCHEMA_VERSION);
    return 0;
}

static int history_open_database(struct history *h, struct error *error)
{
    /* The prefix makes "file:…" and ":memory:" ordinary file names. */
    const char *path = h->path[0] == '/' ? h->path : pool_format(&h->pool, "./%s", h->path);
    int result = check_file(h, error);
    if (result)
        return result;
    if (sqlite3_open_v2(path, &h->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return h->db ? history_fail(h, error) : error_set(error, EXIT_HARNESS, "%s: out of memory", h->path);
    sqlite3_busy_timeout(h->db, BUSY_MS);
    guard_settings(h->db);
    guard_begin(&h->guard, h->db);
    /* Another process may write the file: the checks and the reads see the same data. */
    if ((result = check_version(h, error)) || (result = history_execute(h, "BEGIN", error)) ||
        (result = guard_check_schema(h->db, h->path, error)))
        return result;
    return guard_check_content(h->db, h->path, error);
}

int history_open(const char *path, struct history **out, struct error *error)
{
    struct history *h = calloc(1, sizeof *h);
    *out = NULL;
    if (!h)
        return error_set(error, EXIT_HARNESS, "%s: out of memory", path);
    h->path = pool_string(&h->pool, path);
    int result = history_open_database(h, error);
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
    guard_begin(&h->guard, db);
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
