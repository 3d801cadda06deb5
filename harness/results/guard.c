#include "harness/results/guard.h"

#include "harness/base/clock.h"
#include "harness/results/schema_version.h"

#include "generated/fuzz_schema.h"
#include "generated/mutation_schema.h"
#include "generated/schema.h"

#include <sqlite3.h>
#include <string.h>

enum {
    TEXT_MAX = 16 << 20,     /* bytes of a value or row */
    SQL_MAX = 1 << 20,       /* bytes of a query */
    STEPS = 100000,          /* steps of SQLite's virtual machine between two looks at the clock */
    SECONDS = 20,            /* seconds of CPU time that any file gets */
    CONTENT_MAX = 256 << 20, /* bytes of a file that is checked as a whole */
    OBJECTS_MAX = 256        /* objects of a schema: more are not looked at */
};

static const uint64_t SECOND_NS = 1000000000;

void guard_begin_library(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void guard_settings(sqlite3 *db)
{
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, SQL_MAX);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_exec(db, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

/* ---- time */

static int is_late(void *context)
{
    struct guard *guard = context;
    guard->steps += STEPS;
    return guard->used_ns + (clock_thread_ns() - guard->since_ns) > guard->limit_ns;
}

/* Counts the time of queries. SQLite calls this function when a query begins (SQLITE_TRACE_STMT) and when it ends
 * (SQLITE_TRACE_PROFILE). The time of queries that are open at once counts once. */
static int count_time(unsigned event, void *context, void *query, void *detail)
{
    struct guard *guard = context;
    (void)detail;
    for (sqlite3_stmt *other = NULL; (other = sqlite3_next_stmt(guard->db, other));)
        if (other != query && sqlite3_stmt_busy(other))
            return 0;
    uint64_t now = clock_thread_ns();
    if (event == SQLITE_TRACE_PROFILE)
        guard->used_ns += now - guard->since_ns;
    guard->since_ns = now;
    return 0;
}

/* Returns the bytes of the file; 0: not known. */
static uint64_t guard_size_of(sqlite3 *db)
{
    static const char sql[] = "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()";
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        return 0;
    int64_t size = sqlite3_step(row) == SQLITE_ROW ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return size > 0 ? (uint64_t)size : 0;
}

void guard_begin(struct guard *guard, sqlite3 *db)
{
    *guard = (struct guard){.db = db, .limit_ns = SECONDS * SECOND_NS, .since_ns = clock_thread_ns()};
    sqlite3_progress_handler(db, STEPS, is_late, guard);
    sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, count_time, guard);
    guard->limit_ns += (guard_size_of(db) >> 20) * SECOND_NS;
}

void guard_end(struct guard *guard)
{
    if (guard->db) {
        sqlite3_progress_handler(guard->db, 0, NULL, NULL);
        sqlite3_trace_v2(guard->db, 0, NULL, NULL);
    }
    guard->db = NULL;
}

const char *guard_message(sqlite3 *db)
{
    return sqlite3_errcode(db) == SQLITE_INTERRUPT ? "its queries take longer than those of an intact database can"
                                                   : sqlite3_errmsg(db);
}

/* ---- the schema */

/* The texts of the schemas. The first is in every database, the others are in some. */
static const char *const sources[] = {schema_sql, fuzz_schema_sql, mutation_schema_sql};

enum { SOURCES = sizeof sources / sizeof *sources };

/* Skips a word and the spaces behind it; null: the text does not begin with it. */
static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (!text || strncmp(text, word, length) != 0)
        return NULL;
    return text + length + strspn(text + length, " ");
}

/* Returns true if a schema has this statement. SQLite stores "CREATE TABLE name …" for a statement that began with
 * CREATE TABLE and perhaps IF NOT EXISTS, and does not change the text after the name. */
static bool has_statement(const char *schema, const char *sql)
{
    const char *stored = after(sql, "CREATE ");
    size_t word = stored ? strcspn(stored, " ") : 0;
    for (const char *at = schema; word && (at = strstr(at, "CREATE ")); at++) {
        const char *given = after(at, "CREATE ");
        if ((at > schema && at[-1] != '\n') || strncmp(given, stored, word + 1) != 0)
            continue;
        const char *name = given + word + 1, *rest = stored + word + 1, *bare = after(name, "IF NOT EXISTS ");
        name = bare ? bare : name;
        size_t length = strlen(rest);
        if (strncmp(name, rest, length) == 0 && name[length] == ';')
            return true;
    }
    return false;
}

/* Counts the statements of a schema that create something. */
static int count_statements(const char *schema)
{
    int count = strncmp(schema, "CREATE ", 7) == 0;
    for (const char *at = schema; (at = strstr(at, "\nCREATE ")); at++)
        count++;
    return count;
}

static int is_not_ours(const char *path, const char *type, const char *name, struct error *error)
{
    return error_set(error, EXIT_HARNESS,
                     "%s: its %.20s '%.60s' is not what this assay makes; expected the tables and views of schema "
                     "version %d, and no others",
                     path, type ? type : "object", name ? name : "", SCHEMA_VERSION);
}

/* Reads the row that describes one object. Returns the schema that has it. -1: none, an error is set; SOURCES: an index
 * that a table's own constraints make. */
static int guard_source_of(sqlite3_stmt *row, const char *path, struct error *error)
{
    const char *type = (const char *)sqlite3_column_text(row, 0), *name = (const char *)sqlite3_column_text(row, 1),
               *sql = (const char *)sqlite3_column_text(row, 2);
    if (!sql && type && strcmp(type, "index") == 0)
        return SOURCES; /* SQLite refuses one that no constraint makes */
    for (int i = 0; sql && i < SOURCES; i++)
        if (has_statement(sources[i], sql))
            return i;
    is_not_ours(path, type, name, error);
    return -1;
}

int guard_check_schema(sqlite3 *db, const char *path, struct error *error)
{
    sqlite3_stmt *row;
    int found[SOURCES + 1] = {0}, objects = 0, code, source = 0;
    if (sqlite3_prepare_v2(db, "SELECT type, name, sql FROM sqlite_schema", -1, &row, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "%s: its schema cannot be read: %s", path, guard_message(db));
    while ((code = sqlite3_step(row)) == SQLITE_ROW && source >= 0 && objects++ < OBJECTS_MAX)
        if ((source = guard_source_of(row, path, error)) >= 0)
            found[source]++;
    sqlite3_finalize(row);
    if (source < 0)
        return EXIT_HARNESS;
    if (code != SQLITE_DONE)
        return error_set(error, EXIT_HARNESS, "%s: its schema cannot be read: %s", path,
                         code == SQLITE_ROW ? "too many objects" : guard_message(db));
    for (int i = 0; i < SOURCES; i++)
        if (found[i] != count_statements(sources[i]) && (i == 0 || found[i] > 0))
            return error_set(error, EXIT_HARNESS,
                             "%s: %d of %d tables and views of schema version %d are there; expected an intact assay "
                             "database",
                             path, found[i], count_statements(sources[i]), SCHEMA_VERSION);
    return 0;
}

int guard_check_content(sqlite3 *db, const char *path, struct error *error)
{
    sqlite3_stmt *row;
    if (guard_size_of(db) > CONTENT_MAX)
        return 0;
    if (sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &row, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "%s: the database is damaged (%s); expected an intact assay database",
                         path, guard_message(db));
    int code = sqlite3_step(row);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(row, 0) : guard_message(db);
    int result = 0;
    if (!text || strcmp(text, "ok") != 0)
        result = error_set(error, EXIT_HARNESS, "%s: the database is damaged (%.*s); expected an intact assay database",
                           path, text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    sqlite3_finalize(row);
    return result;
}
