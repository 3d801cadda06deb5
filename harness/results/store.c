/* Opens and closes a store; errors and binding for its other files. */
#include "harness/results/store_internal.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/results/schema_version.h"

#include "generated/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    BUSY_MS = 5000,       /* waits for a user who writes in the sqlite3 shell */
    CLOSE_BUSY_MS = 1000, /* waits for a reader; by then everything is committed */
};

int64_t store_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

sqlite3 *store_database(const struct store *store)
{
    return store->db;
}

/* ---- errors */

int store_fail(struct store *store, struct error *error)
{
    int code = sqlite3_extended_errcode(store->db), system = sqlite3_system_errno(store->db);
    store->broken = true;
    switch (code & 0xff) {
    case SQLITE_FULL:
        return error_set(error, EXIT_HARNESS, "%s: the disk is full; rows committed before are kept", store->path);
    case SQLITE_NOTADB:
        return error_set(error, EXIT_HARNESS, "%s: not a database; expected an assay database, or no file",
                         store->path);
    case SQLITE_CORRUPT:
        return error_set(error, EXIT_HARNESS, "%s: the database is damaged (%s); expected an intact assay database",
                         store->path, guard_message(store->db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, EXIT_HARNESS, "%s: locked by another program for more than %d s", store->path,
                         BUSY_MS / 1000);
    case SQLITE_READONLY:
        if (code == SQLITE_READONLY_DBMOVED)
            return error_set(error, EXIT_HARNESS,
                             "%s: another file took its place, or none is there; expected it to stay during a run",
                             store->path);
        return error_set(error, EXIT_HARNESS, "%s: cannot be written; expected a writable file in a writable folder",
                         store->path);
    case SQLITE_CANTOPEN:
        return error_set(error, EXIT_HARNESS, "%s: no file can be made beside it (%s); expected a writable folder",
                         store->path, strerror(system));
    case SQLITE_IOERR:
        return error_set(error, EXIT_HARNESS, "%s: %s (%s); rows committed before are kept", store->path,
                         guard_message(store->db), system ? strerror(system) : "no reason given");
    case SQLITE_ERROR:
        return error_set(error, EXIT_HARNESS, "%s: %s; expected the tables of schema version %d", store->path,
                         guard_message(store->db), SCHEMA_VERSION);
    default:
        return error_set(error, EXIT_HARNESS, "%s: %s", store->path, guard_message(store->db));
    }
}

int store_execute(struct store *store, const char *sql, struct error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(store, error);
}

/* ---- binding */

void store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    const unsigned char *byte = (const unsigned char *)(text ? text : "");
    while (*byte >= 0x20 && *byte < 0x7f)
        byte++;
    if (!*byte) {
        const char *plain = text ? text : "";
        sqlite3_bind_text(statement, index, plain, (int)((const char *)byte - plain), SQLITE_STATIC);
        return;
    }
    size_t length = text_visible(NULL, 0, text);
    char *visible = malloc(length + 1);
    if (!visible) {
        sqlite3_bind_text(statement, index, "(out of memory)", -1, SQLITE_STATIC);
        return;
    }
    text_visible(visible, length + 1, text);
    sqlite3_bind_text64(statement, index, visible, length, free, SQLITE_UTF8);
}

void store_bind_bits(sqlite3_stmt *statement, int index, uint64_t bits)
{
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    sqlite3_bind_int64(statement, index, value);
}

void store_bind_count(sqlite3_stmt *statement, int index, uint64_t count)
{
    sqlite3_bind_int64(statement, index, count < INT64_MAX ? (int64_t)count : INT64_MAX);
}

/* ---- opening */

/* Returns true if the mode of a file or folder lets nobody write it. The store obeys the mode even as the superuser,
 * who could write the file. */
static bool is_protected(const char *path)
{
    struct stat status;
    return !stat(path, &status) && !(status.st_mode & 0222);
}

static int check_protection(const struct store *store, struct error *error)
{
    const char *slash = strrchr(store->path, '/');
    size_t length = slash && slash != store->path ? (size_t)(slash - store->path) : 1;
    char *folder = strndup(slash ? store->path : ".", length);
    bool bad_folder = folder && is_protected(folder);
    free(folder);
    if (!bad_folder && !is_protected(store->path))
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: %s is read-only; expected a writable file in a writable folder",
                     store->path, bad_folder ? "its folder" : "it");
}

/* Waits for the lock: after a harness was killed while it started a worker, the worker holds the lock until it
 * exits. */
static bool lock(int file)
{
    enum { WAIT_MAX_MS = 1000, PAUSE_MS = 20 };
    const uint64_t deadline = clock_ns() + WAIT_MAX_MS * 1000000ull;
    while (flock(file, LOCK_EX | LOCK_NB)) {
        if (clock_ns() >= deadline)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    }
    return true;
}

/* Opens and locks the file before SQLite does, since the system calls report more precise reasons than SQLite. */
static int lock_file(struct store *store, struct error *error)
{
    const char *path = store->path;
    int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, status = check_protection(store, error);
    if (status)
        return status;
    store->lock = open(path, flags | O_CREAT | O_EXCL, 0666);
    store->created = store->lock >= 0;
    if (store->lock < 0 && errno == EEXIST)
        store->lock = open(path, flags);
    if (store->lock < 0) {
        const char *expected = "expected a writable file in a writable folder";
        if (errno == ENOENT || errno == ENOTDIR)
            expected = "expected its folder to be there";
        else if (errno == EISDIR)
            expected = "expected a database file, or no file";
        return error_set(error, EXIT_HARNESS, "%s: %s; %s", path, strerror(errno), expected);
    }
    struct stat file;
    if (fstat(store->lock, &file) || !S_ISREG(file.st_mode))
        return error_set(error, EXIT_HARNESS, "%s: not a plain file; expected a database file, or no file", path);
    if (!lock(store->lock))
        return error_set(error, EXIT_HARNESS, "%s: another assay is writing it; expected to be the only one", path);
    return 0;
}

static int store_read_number(struct store *store, const char *sql, int64_t *out, struct error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_fail(store, error);
    int code = sqlite3_step(statement);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
    int status = code == SQLITE_ROW || code == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_finalize(statement);
    return status;
}

/* Creates the schema in an empty database. Refuses databases of other programs and other schema versions. */
static int check_schema(struct store *store, struct error *error)
{
    int64_t application, version, objects;
    int status;
    if ((status = store_read_number(store, "PRAGMA application_id", &application, error)) ||
        (status = store_read_number(store, "PRAGMA user_version", &version, error)) ||
        (status = store_read_number(store, "SELECT count(*) FROM sqlite_schema", &objects, error)))
        return status;
    if (!application && !version && !objects) {
        /* The schema comes before WAL mode: the first commit then writes the application id to the file itself. */
        if ((status = store_execute(store, "BEGIN IMMEDIATE", error)) ||
            (status = store_execute(store, schema_sql, error)))
            return status;
        return store_execute(store, "COMMIT", error);
    }
    if (application != SCHEMA_APPLICATION_ID)
        return error_set(error, EXIT_HARNESS,
                         "%s: a database of some other program; expected an assay database, or no file", store->path);
    if (version != SCHEMA_VERSION)
        return error_set(error, EXIT_HARNESS, "%s: an assay database of schema version %lld; expected version %d",
                         store->path, (long long)version, SCHEMA_VERSION);
    return guard_check_schema(store->db, store->path, error);
}

static int prepare_database(struct store *store, struct error *error)
{
    /* Foreign key checks would cost a third of the speed, and all ids come from the tables themselves. */
    static const char settings[] =
        "PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL; "
        "PRAGMA page_size = 16384; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 4096";
    int status;
    if ((status = store_execute(store, settings, error)) || (status = check_schema(store, error)))
        return status;
    for (int i = 0; i < STORE_STATEMENTS; i++)
        if (sqlite3_prepare_v3(store->db, store_statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i],
                               NULL) != SQLITE_OK)
            return store_fail(store, error);
    int64_t last_case; /* 0: none */
    if ((status = store_read_number(store, "SELECT max(id) FROM test_case", &last_case, error)) ||
        (status = store_execute(store, "PRAGMA journal_mode = WAL", error))) /* the first change to an existing file */
        return status;
    store->all_cases_seen = !last_case;
    /* The lock rules out another writer, so an open run belongs to a harness that died. */
    return store_execute(store, "UPDATE run SET state = 'incomplete' WHERE state = 'running'", error);
}

static int store_open_database(struct store *store, struct error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK) {
        if (store->db)
            return store_fail(store, error);
        return error_set(error, EXIT_HARNESS, "%s: out of memory", store->path);
    }
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    guard_settings(store->db);
    struct guard guard;
    guard_begin(&guard, store->db);
    int status = prepare_database(store, error);
    guard_end(&guard);
    return status;
}

static void remove_files(const char *path)
{
    static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
    size_t size = strlen(path) + 16;
    char *name = malloc(size);
    for (size_t i = 0; name && i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(name, size, "%s%s", path, suffixes[i]);
        unlink(name);
    }
    free(name);
}

static int close_database(struct store *store)
{
    for (int i = 0; i < STORE_STATEMENTS; i++)
        sqlite3_finalize(store->statements[i]);
    int code = sqlite3_close(store->db);
    store->db = NULL;
    return code;
}

static void store_release(struct store *store)
{
    if (store->lock >= 0)
        close(store->lock);
    nametable_destroy(&store->cases);
    nametable_destroy(&store->judgements);
    free(store->path);
    free(store);
}

int store_open(const char *path, struct store **out, struct error *error)
{
    *out = NULL;
    struct store *store = calloc(1, sizeof *store);
    /* The prefix makes ":memory:" an ordinary file name. */
    if (!store || asprintf(&store->path, "%s%s", path[0] == ':' ? "./" : "", path) < 0) {
        free(store);
        return error_set(error, EXIT_HARNESS, "%s: out of memory", path);
    }
    store->lock = -1;
    int status = lock_file(store, error);
    if (!status)
        status = store_open_database(store, error);
    if (status) {
        close_database(store);
        if (store->created)
            remove_files(store->path);
        store_release(store);
        return status;
    }
    store->committed_ms = store_now_ms();
    *out = store;
    return 0;
}

int store_close(struct store *store, struct error *error)
{
    if (!store)
        return 0;
    int status = store->run_id && !store->broken ? store_end_run(store, false, error) : store_flush(store, error);
    if (store->broken)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_busy_timeout(store->db, CLOSE_BUSY_MS);
    /* Committed rows are already safe in FILE-wal. A reader can prevent the checkpoint into FILE; the next writer then
     * makes it up. */
    int code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED && !status)
        status = store_fail(store, error);
    close_database(store);
    store_release(store);
    return status;
}
