#include "harness/results/store.h"
#include "harness/base/nametable.h"
#include "harness/results/store_internal.h"
#include "harness/base/text.h"

#include "generated/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    APPLICATION_ID = 0x61736179, /* as in the schema */
    SCHEMA_VERSION = 3,
    BATCH_MS = 250,
    BUSY_MS = 5000,       /* for somebody who writes in the sqlite3 shell */
    CLOSE_BUSY_MS = 1000, /* for a reader, when there is nothing left to lose */
};

enum statement {
    BEGIN,
    COMMIT,
    FIND_CASE,
    ADD_CASE,
    FIND_JUDGEMENT,
    ADD_JUDGEMENT,
    ADD_RESULT,
    ADD_DETAIL,
    LAST_ATTEMPT,
    ADD_SAMPLE,
    STATEMENT_COUNT
};

static const char *const statement_sql[STATEMENT_COUNT] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [FIND_CASE] = "SELECT id FROM test_case WHERE name = ?1",
    [ADD_CASE] = "INSERT INTO test_case (name, operator, feature_level, data_types) VALUES (?1, ?2, ?3, ?4)",
    [FIND_JUDGEMENT] =
        "SELECT id FROM judgement WHERE (rule, strength, pages, expected, outcome) = (?1, ?2, ?3, ?4, ?5)",
    [ADD_JUDGEMENT] = "INSERT INTO judgement (rule, strength, pages, expected, outcome) VALUES (?1, ?2, ?3, ?4, ?5)",
    [ADD_RESULT] =
        "INSERT INTO result (run_id, case_id, attempt, status, judgement_id, host_ns, device_ns, seed, slow) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [ADD_DETAIL] = "INSERT INTO detail (run_id, case_id, attempt, message, wrong_count, wrong_tensor, "
                   "wrong_coordinates, wrong_got, wrong_expected, reproduce, flaky, expectation, reason, cause) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
    [LAST_ATTEMPT] = "SELECT max(attempt) FROM result WHERE run_id = ?1 AND case_id = ?2",
    [ADD_SAMPLE] =
        "INSERT INTO timing_sample (run_id, case_id, repeat, host_ns, device_ns) VALUES (?1, ?2, ?3, ?4, ?5)",
};

struct store {
    char *path;
    int lock; /* the file, locked against a second assay; it must outlive `db` */
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    int64_t run_id; /* 0: none */
    struct store_invocation invocation;
    int64_t committed;           /* when, in milliseconds */
    struct nametable cases;      /* their ids, as far as seen */
    struct nametable judgements; /* likewise */
    bool all_cases_seen;         /* the database had none when it was opened */
    bool created;                /* the file was not there before */
    bool in_batch;
    bool broken; /* something could not be written; said already */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

sqlite3 *store_database(const struct store *store)
{
    return store->db;
}

struct store_invocation *store_invocation_of(struct store *store)
{
    return &store->invocation;
}

int64_t store_run_of(const struct store *store)
{
    return store->run_id;
}

const char *store_path_of(const struct store *store)
{
    return store->path;
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
                         store->path, sqlite3_errmsg(store->db));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(error, EXIT_HARNESS, "%s: locked by another program for more than %d s", store->path,
                         BUSY_MS / 1000);
    case SQLITE_READONLY:
        return error_set(error, EXIT_HARNESS, "%s: cannot be written; expected a writable file in a writable folder",
                         store->path);
    case SQLITE_CANTOPEN:
        return error_set(error, EXIT_HARNESS, "%s: no file can be made beside it (%s); expected a writable folder",
                         store->path, strerror(system));
    case SQLITE_IOERR:
        return error_set(error, EXIT_HARNESS, "%s: %s (%s); rows committed before are kept", store->path,
                         sqlite3_errmsg(store->db), system ? strerror(system) : "no reason given");
    case SQLITE_ERROR:
        return error_set(error, EXIT_HARNESS, "%s: %s; expected the tables of schema version %d", store->path,
                         sqlite3_errmsg(store->db), SCHEMA_VERSION);
    default:
        return error_set(error, EXIT_HARNESS, "%s: %s", store->path, sqlite3_errmsg(store->db));
    }
}

static int execute(struct store *store, const char *sql, struct error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(store, error);
}

static int step(struct store *store, enum statement which, struct error *error)
{
    int code = sqlite3_step(store->statements[which]);
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        store_fail(store, error); /* before reset, which may overwrite what it says */
    sqlite3_reset(store->statements[which]);
    return code == SQLITE_DONE || code == SQLITE_ROW ? 0 : EXIT_HARNESS;
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

static void bind_bits(sqlite3_stmt *statement, int index, uint64_t bits)
{
    int64_t value;
    memcpy(&value, &bits, sizeof value);
    sqlite3_bind_int64(statement, index, value);
}

static void bind_count(sqlite3_stmt *statement, int index, uint64_t count)
{
    sqlite3_bind_int64(statement, index, count < INT64_MAX ? (int64_t)count : INT64_MAX);
}

static void bind_device_ns(sqlite3_stmt *statement, int index, uint64_t ns)
{
    if (ns)
        bind_count(statement, index, ns);
    else
        sqlite3_bind_null(statement, index);
}

/* ---- opening */

/* Whether nobody may write a file or folder. The superuser could all the same, but whoever set its mode meant it. */
static bool is_protected(const char *path)
{
    struct stat status;
    return !stat(path, &status) && !(status.st_mode & 0222);
}

static int check_protection(const struct store *store, struct error *error)
{
    const char *slash = strrchr(store->path, '/');
    char *folder = slash ? strndup(store->path, slash == store->path ? 1 : (size_t)(slash - store->path)) : strdup(".");
    bool bad_folder = folder && is_protected(folder);
    free(folder);
    if (!bad_folder && !is_protected(store->path))
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: %s is read-only; expected a writable file in a writable folder",
                     store->path, bad_folder ? "its folder" : "it");
}

/* A harness that has just been killed may have been about to start a worker, which has the lock until it dies, too. */
static bool lock(int file)
{
    enum { MOST_MS = 1000, PAUSE_MS = 20 };
    for (int waited = 0; flock(file, LOCK_EX | LOCK_NB); waited += PAUSE_MS) {
        if (waited >= MOST_MS)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_MS * 1000000}, NULL);
    }
    return true;
}

/* Opens and locks the file itself, before SQLite sees it: here the reasons can be told apart. */
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
        const char *expected = errno == ENOENT || errno == ENOTDIR ? "expected its folder to be there"
                               : errno == EISDIR                   ? "expected a database file, or no file"
                                                                   : "expected a writable file in a writable folder";
        return error_set(error, EXIT_HARNESS, "%s: %s; %s", path, strerror(errno), expected);
    }
    struct stat file;
    if (fstat(store->lock, &file) || !S_ISREG(file.st_mode))
        return error_set(error, EXIT_HARNESS, "%s: not a plain file; expected a database file, or no file", path);
    if (!lock(store->lock))
        return error_set(error, EXIT_HARNESS, "%s: another assay is writing it; expected to be the only one", path);
    return 0;
}

static int read_number(struct store *store, const char *sql, int64_t *out, struct error *error)
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

/* Makes the schema in an empty database; refuses one that is not assay's. */
static int check_schema(struct store *store, struct error *error)
{
    int64_t application, version, objects;
    int status;
    if ((status = read_number(store, "PRAGMA application_id", &application, error)) ||
        (status = read_number(store, "PRAGMA user_version", &version, error)) ||
        (status = read_number(store, "SELECT count(*) FROM sqlite_schema", &objects, error)))
        return status;
    if (!application && !version && !objects) {
        /* Not in WAL mode yet, so that the file says what it is from its first commit on. */
        if ((status = execute(store, "BEGIN IMMEDIATE", error)) || (status = execute(store, schema_sql, error)))
            return status;
        return execute(store, "COMMIT", error);
    }
    if (application != APPLICATION_ID)
        return error_set(error, EXIT_HARNESS,
                         "%s: a database of some other program; expected an assay database, or "
                         "no file",
                         store->path);
    if (version != SCHEMA_VERSION)
        return error_set(error, EXIT_HARNESS, "%s: an assay database of schema version %lld; expected version %d",
                         store->path, (long long)version, SCHEMA_VERSION);
    return 0;
}

static int open_database(struct store *store, struct error *error)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK) {
        if (store->db)
            return store_fail(store, error);
        return error_set(error, EXIT_HARNESS, "%s: out of memory", store->path);
    }
    sqlite3_extended_result_codes(store->db, 1);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    /* Without the checks of foreign keys, a third faster: the ids come from the tables themselves. */
    static const char settings[] =
        "PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL; "
        "PRAGMA page_size = 16384; PRAGMA cache_size = -16384; "
        "PRAGMA wal_autocheckpoint = 4096";
    int status;
    if ((status = execute(store, settings, error)) || (status = check_schema(store, error)))
        return status;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (sqlite3_prepare_v3(store->db, statement_sql[i], -1, SQLITE_PREPARE_PERSISTENT, &store->statements[i],
                               NULL) != SQLITE_OK)
            return store_fail(store, error);
    int64_t last_case; /* 0: none */
    if ((status = read_number(store, "SELECT max(id) FROM test_case", &last_case, error)) ||
        (status = execute(store, "PRAGMA journal_mode = WAL", error))) /* the first change to a file that was there */
        return status;
    store->all_cases_seen = !last_case;
    /* The lock says that no other assay runs: one that left a run open has died. */
    return execute(store, "UPDATE run SET state = 'incomplete' WHERE state = 'running'", error);
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
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    int code = sqlite3_close(store->db);
    store->db = NULL;
    return code;
}

static void release(struct store *store)
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
    /* ":memory:" is a name like any other here. */
    if (!store || asprintf(&store->path, "%s%s", path[0] == ':' ? "./" : "", path) < 0) {
        free(store);
        return error_set(error, EXIT_HARNESS, "%s: out of memory", path);
    }
    store->lock = -1;
    int status = lock_file(store, error);
    if (!status)
        status = open_database(store, error);
    if (status) {
        close_database(store);
        if (store->created)
            remove_files(store->path);
        release(store);
        return status;
    }
    store->committed = now_ms();
    *out = store;
    return 0;
}

/* ---- writing */

int store_begin(struct store *store, struct error *error)
{
    if (store->broken)
        return error_set(error, EXIT_HARNESS, "%s: not written any more after an earlier error", store->path);
    if (store->in_batch)
        return 0;
    int status = step(store, BEGIN, error);
    store->in_batch = !status;
    return status;
}

int store_flush(struct store *store, struct error *error)
{
    if (!store->in_batch || store->broken)
        return 0;
    store->in_batch = false;
    store->committed = now_ms();
    return step(store, COMMIT, error);
}

void store_abandon(struct store *store)
{
    store->in_batch = false;
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

static int flush_in_time(struct store *store, struct error *error)
{
    return now_ms() - store->committed < BATCH_MS ? 0 : store_flush(store, error);
}

static int run_once(struct store *store, const char *sql, const struct store_run *run, struct error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return store_fail(store, error);
    const char *texts[] = {run->device, run->device_name, run->device_driver, run->device_version, run->feature_level};
    for (int i = 0; i < 5; i++)
        store_bind_text(statement, 1 + i, texts[i]);
    if (sqlite3_bind_parameter_count(statement) > 5) {
        store_bind_text(statement, 6, run->version);
        bind_bits(statement, 7, run->seed);
        bind_count(statement, 8, run->planned);
        bind_bits(statement, 9, run->plan_hash);
        store_bind_text(statement, 10, run->command);
        sqlite3_bind_int64(statement, 11, run->shards ? run->shard : 1);
        sqlite3_bind_int64(statement, 12, run->shards ? run->shards : 1);
        sqlite3_bind_int64(statement, 13, store->invocation.id);
    }
    int status = sqlite3_step(statement) == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_finalize(statement);
    return status;
}

int store_begin_run(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error)
{
    int status = store_take_up(store, run, run_id, error);
    if (status || *run_id) {
        store->run_id = *run_id;
        return status;
    }
    if ((status = store_begin(store, error)) ||
        (status = run_once(store,
                           "INSERT OR IGNORE INTO device (device, name, driver, version, feature_level) "
                           "VALUES (?1, ?2, ?3, ?4, ?5)",
                           run, error)) ||
        (status = run_once(store,
                           "INSERT INTO run (device_id, version, seed, planned, plan_hash, command, shard, shards, "
                           "invocation_id, started, state) SELECT id, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
                           "nullif(?13, 0), strftime('%Y-%m-%dT%H:%M:%fZ', 'now'), 'running' "
                           "FROM device WHERE (device, name, driver, version, feature_level) = (?1, ?2, ?3, ?4, ?5)",
                           run, error)))
        return status;
    store->run_id = store->invocation.last_run = sqlite3_last_insert_rowid(store->db);
    *run_id = store->run_id;
    return store_flush(store, error);
}

/* Runs a query for an id with up to five texts; 0: there is none. */
static int select_id(struct store *store, enum statement which, const char *const *texts, int count, int64_t *id,
                     struct error *error)
{
    sqlite3_stmt *find = store->statements[which];
    for (int i = 0; i < count; i++)
        store_bind_text(find, 1 + i, texts[i]);
    int code = sqlite3_step(find);
    *id = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : 0;
    int status = code == SQLITE_ROW || code == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_reset(find);
    return status;
}

static int insert_texts(struct store *store, enum statement which, const char *const *texts, int count, int64_t *id,
                        struct error *error)
{
    for (int i = 0; i < count; i++)
        store_bind_text(store->statements[which], 1 + i, texts[i]);
    int status = step(store, which, error);
    *id = sqlite3_last_insert_rowid(store->db);
    return status;
}

static int find_case(struct store *store, const struct record *record, int64_t *id, struct error *error)
{
    const char *const texts[] = {record->case_name, record->operator_name, record->feature_level, record->data_types};
    int status;
    *id = nametable_find(&store->cases, texts, 1);
    if (*id)
        return 0;
    if (!store->all_cases_seen && (status = select_id(store, FIND_CASE, texts, 1, id, error)))
        return status;
    if (!*id && (status = insert_texts(store, ADD_CASE, texts, 4, id, error)))
        return status;
    if (!nametable_add(&store->cases, texts, 1, *id))
        store->all_cases_seen = false;
    return 0;
}

static int find_judgement(struct store *store, const struct record *record, int64_t *id, struct error *error)
{
    const char *const texts[] = {record->rule, record->strength, record->pages, record->expected, record->outcome};
    int status;
    *id = nametable_find(&store->judgements, texts, 5);
    if (*id)
        return 0;
    if ((status = select_id(store, FIND_JUDGEMENT, texts, 5, id, error)) ||
        (!*id && (status = insert_texts(store, ADD_JUDGEMENT, texts, 5, id, error))))
        return status;
    nametable_add(&store->judgements, texts, 5, *id); /* without it, the database is asked again */
    return 0;
}

/* The number of the next attempt at a case that has a result in this run. */
static int next_attempt(struct store *store, int64_t case_id, int64_t *attempt, struct error *error)
{
    sqlite3_stmt *last = store->statements[LAST_ATTEMPT];
    sqlite3_bind_int64(last, 1, store->run_id);
    sqlite3_bind_int64(last, 2, case_id);
    int code = sqlite3_step(last);
    *attempt = code == SQLITE_ROW ? sqlite3_column_int64(last, 0) + 1 : 1;
    int status = code == SQLITE_ROW ? 0 : store_fail(store, error);
    sqlite3_reset(last);
    return status;
}

static int add_result(struct store *store, const struct record *record, int64_t case_id, int64_t *attempt,
                      struct error *error)
{
    int64_t judgement_id;
    int status = find_judgement(store, record, &judgement_id, error);
    if (status)
        return status;
    sqlite3_stmt *add = store->statements[ADD_RESULT];
    sqlite3_bind_int64(add, 1, store->run_id);
    sqlite3_bind_int64(add, 2, case_id);
    sqlite3_bind_int64(add, 3, *attempt);
    sqlite3_bind_text(add, 4, status_name(record->status), -1, SQLITE_STATIC);
    sqlite3_bind_int64(add, 5, judgement_id);
    bind_count(add, 6, record->host_ns);
    bind_device_ns(add, 7, record->device_ns);
    bind_bits(add, 8, record->seed);
    sqlite3_bind_int(add, 9, record->slow);
    int code = sqlite3_step(add);
    bool there = code != SQLITE_DONE && sqlite3_extended_errcode(store->db) == SQLITE_CONSTRAINT_PRIMARYKEY;
    if (code != SQLITE_DONE && !there)
        status = store_fail(store, error);
    sqlite3_reset(add);
    if (!there)
        return status;
    status = next_attempt(store, case_id, attempt, error);
    sqlite3_bind_int64(add, 3, *attempt);
    return status ? status : step(store, ADD_RESULT, error);
}

static int add_detail(struct store *store, const struct record *record, int64_t case_id, int64_t attempt,
                      struct error *error)
{
    const struct wrong *wrong = &record->wrong;
    if (!*record->message && !*record->reproduce && !*wrong->tensor && !wrong->count &&
        record->standing == STANDING_NONE)
        return 0;
    sqlite3_stmt *add = store->statements[ADD_DETAIL];
    sqlite3_bind_int64(add, 1, store->run_id);
    sqlite3_bind_int64(add, 2, case_id);
    sqlite3_bind_int64(add, 3, attempt);
    store_bind_text(add, 4, record->message);
    bind_count(add, 5, wrong->count);
    store_bind_text(add, 6, wrong->tensor);
    store_bind_text(add, 7, wrong->coordinates);
    store_bind_text(add, 8, wrong->got);
    store_bind_text(add, 9, wrong->expected);
    store_bind_text(add, 10, record->reproduce);
    sqlite3_bind_int(add, 11, record->flaky);
    sqlite3_bind_text(add, 12, standing_name(record->standing), -1, SQLITE_STATIC);
    store_bind_text(add, 13, record->reason);
    sqlite3_bind_text(add, 14, cause_name(record->cause), -1, SQLITE_STATIC);
    return step(store, ADD_DETAIL, error);
}

int store_add(struct store *store, const struct record *record, struct error *error)
{
    int64_t case_id, attempt = 1;
    int status;
    if (!store->run_id)
        return error_set(error, EXIT_HARNESS, "%s: a result outside of a run", store->path);
    if ((status = store_begin(store, error)) || (status = find_case(store, record, &case_id, error)) ||
        (status = add_result(store, record, case_id, &attempt, error)) ||
        (status = add_detail(store, record, case_id, attempt, error)))
        return status;
    return record->last ? flush_in_time(store, error) : 0;
}

int store_add_sample(struct store *store, const struct record *record, unsigned repeat, struct error *error)
{
    int64_t case_id;
    int status;
    if (!store->run_id)
        return error_set(error, EXIT_HARNESS, "%s: a sample outside of a run", store->path);
    if ((status = store_begin(store, error)) || (status = find_case(store, record, &case_id, error)))
        return status;
    sqlite3_stmt *add = store->statements[ADD_SAMPLE];
    sqlite3_bind_int64(add, 1, store->run_id);
    sqlite3_bind_int64(add, 2, case_id);
    sqlite3_bind_int64(add, 3, repeat);
    bind_count(add, 4, record->host_ns);
    bind_device_ns(add, 5, record->device_ns);
    return (status = step(store, ADD_SAMPLE, error)) ? status : flush_in_time(store, error);
}

void store_go_on(struct store *store, int64_t run_id)
{
    store->run_id = run_id;
}

static int add_coverage(struct store *store, sqlite3_stmt *add, const struct store_coverage *row, struct error *error)
{
    store_bind_text(add, 2, row->version);
    bind_bits(add, 3, row->plan_hash);
    store_bind_text(add, 4, row->operator_name);
    sqlite3_bind_int(add, 5, row->ways);
    bind_count(add, 6, row->covered);
    bind_count(add, 7, row->missed);
    bind_count(add, 8, row->undecided);
    bind_count(add, 9, row->impossible);
    int status = sqlite3_step(add) == SQLITE_DONE ? 0 : store_fail(store, error);
    sqlite3_reset(add);
    return status;
}

int store_add_coverage(struct store *store, const struct store_coverage *rows, size_t count, struct error *error)
{
    static const char sql[] = "INSERT INTO coverage (measured, version, plan_hash, operator, ways, covered, missed, "
                              "undecided, impossible) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    sqlite3_stmt *add;
    char measured[32];
    time_t now = time(NULL);
    struct tm utc;
    strftime(measured, sizeof measured, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    int status = store_begin(store, error);
    if (status)
        return status;
    if (sqlite3_prepare_v2(store->db, sql, -1, &add, NULL) != SQLITE_OK)
        return store_fail(store, error);
    store_bind_text(add, 1, measured);
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_coverage(store, add, &rows[i], error);
    sqlite3_finalize(add);
    return status ? status : store_flush(store, error);
}

int store_end_run(struct store *store, bool complete, struct error *error)
{
    int status = store_begin(store, error);
    if (status)
        return status;
    char sql[256];
    snprintf(sql, sizeof sql,
             "DELETE FROM running WHERE run_id = %lld; "
             "UPDATE run SET state = '%s', ended = strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', 'now') WHERE id = %lld",
             (long long)store->run_id, complete ? "complete" : "incomplete", (long long)store->run_id);
    if ((status = execute(store, sql, error)))
        return status;
    store->run_id = 0;
    return store_flush(store, error);
}

int store_close(struct store *store, struct error *error)
{
    if (!store)
        return 0;
    int status = store->run_id && !store->broken ? store_end_run(store, false, error) : store_flush(store, error);
    if (store->broken)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_busy_timeout(store->db, CLOSE_BUSY_MS);
    /* What is committed is safe in FILE-wal already. A reader who holds the file keeps us from folding that in: then
     * whoever opens it for writing next does it. */
    int code = sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(store->db, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY && (code & 0xff) != SQLITE_LOCKED && !status)
        status = store_fail(store, error);
    close_database(store);
    release(store);
    return status;
}
