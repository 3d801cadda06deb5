/* Several databases as one: their rows are copied into a temporary database of ours. Rows that do not fit the schema
 * are refused, so later readers find only tables of ours and text that is safe to print. */
#include "harness/results/history.h"

#include "harness/results/copy_rows.h"
#include "harness/results/store_internal.h"

#include "generated/fuzz_schema.h"
#include "generated/mutation_schema.h"
#include "generated/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 1000 };

struct join {
    sqlite3 *db;
    const char *const *paths;
    struct copy *sources; /* one per database */
    size_t count;
};

/* Copied after runs, cases, judgements and searches, to which their rows refer. */
static const char *const other_tables[] = {"result",   "detail",       "timing_sample", "copy_share",
                                           "coverage", "fuzz_finding", "fuzz_count",    "mutation"};

/* ---- runs, in the order in which they began */

struct begun_run {
    char started[32];
    size_t source;
    int64_t id;
};

struct begun_runs {
    struct begun_run *items;
    size_t count, room;
};

static int history_join_list_runs(const struct join *join, size_t source, struct begun_runs *list, struct error *error)
{
    struct history *from = join->sources[source].from;
    struct row row;
    int code, result = 0;
    if (row_prepare(&row, history_database(from), "SELECT id, started FROM run ORDER BY id") != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "%s: %s; expected an intact assay database", join->paths[source],
                         guard_message(history_database(from)));
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        if (list->count == list->room) {
            list->room = list->room ? list->room * 2 : 64;
            struct begun_run *items = realloc(list->items, list->room * sizeof *items);
            if (!items) {
                result = error_set(error, EXIT_HARNESS, "%s: out of memory", join->paths[source]);
                break;
            }
            list->items = items;
        }
        struct begun_run *run = &list->items[list->count++];
        *run = (struct begun_run){.source = source, .id = row_int(&row, "id")};
        snprintf(run->started, sizeof run->started, "%s", row_text(&row, "started"));
    }
    if (result == 0 && code != SQLITE_DONE)
        result = error_set(error, EXIT_HARNESS, "%s: %s; expected an intact assay database", join->paths[source],
                           guard_message(history_database(from)));
    row_close(&row);
    return result;
}

static int by_start(const void *a, const void *b)
{
    const struct begun_run *x = a, *y = b;
    int order = strcmp(x->started, y->started);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int copy_runs(struct join *join, struct error *error)
{
    struct begun_runs list = {0};
    int result = 0;
    for (size_t i = 0; i < join->count && result == 0; i++) {
        result = copy_rows(&join->sources[i], "device", NULL, 0, error);
        if (result == 0)
            result = history_join_list_runs(join, i, &list, error);
    }
    if (result == 0 && list.count)
        qsort(list.items, list.count, sizeof *list.items, by_start);
    for (size_t i = 0; i < list.count && result == 0; i++)
        result = copy_rows(&join->sources[list.items[i].source], "run", "id = ?1", list.items[i].id, error);
    free(list.items);
    return result;
}

/* ---- the other tables */

static int history_join_cannot_write(const struct join *join, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the temporary database cannot be written: %s", guard_message(join->db));
}

/* Notes which database and id the rows with these ids come from. */
static int note_source(struct join *join, size_t source, const struct copy_ids *ids, const char *sql,
                       struct error *error)
{
    sqlite3_stmt *put = NULL;
    int result =
        sqlite3_prepare_v2(join->db, sql, -1, &put, NULL) == SQLITE_OK ? 0 : history_join_cannot_write(join, error);
    for (size_t i = 0; i < ids->count && result == 0; i++) {
        sqlite3_bind_int64(put, 1, ids->items[i].to);
        store_bind_text(put, 2, join->paths[source]);
        sqlite3_bind_int64(put, 3, ids->items[i].from);
        if (sqlite3_step(put) != SQLITE_DONE)
            result = history_join_cannot_write(join, error);
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return result;
}

static int copy_source(struct join *join, size_t source, struct error *error)
{
    struct copy *copy = &join->sources[source];
    int result = copy_rows(copy, "test_case", NULL, 0, error);
    if (result == 0)
        result = copy_rows(copy, "judgement", NULL, 0, error);
    if (result == 0)
        result = copy_rows(copy, "fuzz_hunt", NULL, 0, error);
    if (result == 0)
        result = note_source(join, source, &copy->ids[COPY_RUN], "INSERT INTO source VALUES (?1, ?2, ?3)", error);
    if (result == 0)
        result = note_source(join, source, &copy->ids[COPY_HUNT], "INSERT INTO hunt_source VALUES (?1, ?2, ?3)", error);
    for (size_t t = 0; t < sizeof other_tables / sizeof *other_tables && result == 0; t++)
        result = copy_rows(copy, other_tables[t], NULL, 0, error);
    return result;
}

/* ---- the whole */

static int make_database(struct join *join, struct error *error)
{
    static const char sources[] =
        "CREATE TABLE source (run_id INTEGER PRIMARY KEY, database TEXT NOT NULL, original INTEGER NOT NULL) STRICT;"
        "CREATE TABLE hunt_source (id INTEGER PRIMARY KEY, database TEXT NOT NULL, original INTEGER NOT NULL) STRICT;"
        "BEGIN";
    /* The database is private and does not outlive the process: no need for safe writes. */
    static const char fast[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536";
    if (sqlite3_open_v2("", &join->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(join->db, fast, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, fuzz_schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, mutation_schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, sources, NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "no temporary database can be made: %s",
                         join->db ? guard_message(join->db) : "out of memory");
    return 0;
}

static int history_join_fill(struct join *join, struct error *error)
{
    int result = make_database(join, error);
    for (size_t i = 0; i < join->count && result == 0; i++) {
        join->sources[i].to = join->db;
        result = history_open(join->paths[i], &join->sources[i].from, error);
    }
    if (result == 0)
        result = copy_runs(join, error);
    for (size_t i = 0; i < join->count && result == 0; i++)
        result = copy_source(join, i, error);
    if (result == 0 && sqlite3_exec(join->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        result = history_join_cannot_write(join, error);
    return result;
}

int history_join(const char *const *paths, size_t count, struct history **out, struct error *error)
{
    struct join join = {.paths = paths, .sources = calloc(count ? count : 1, sizeof *join.sources), .count = count};
    *out = NULL;
    if (!join.sources)
        return error_set(error, EXIT_HARNESS, "out of memory");
    int result = count <= SOURCES_MAX ? history_join_fill(&join, error)
                                      : error_set(error, EXIT_USAGE, "at most %d databases", SOURCES_MAX);
    for (size_t i = 0; i < count; i++) {
        history_close(join.sources[i].from);
        copy_free(&join.sources[i]);
    }
    free(join.sources);
    if (result == 0)
        result = history_adopt(join.db, count == 1 ? paths[0] : "the databases", out, error);
    else
        sqlite3_close(join.db);
    return result;
}
