/* Several databases as one: their rows are copied into a temporary database of ours. What is not as the schema says does
 * not get there, and no later reader meets anything but its tables and text that is fit to print. */
#include "harness/results/history.h"

#include "harness/results/store_internal.h"

#include "generated/fuzz_schema.h"
#include "generated/mutation_schema.h"
#include "generated/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCES_MAX = 1000 };

/* Where rows come from and what their keys have become, by key. */
struct keys {
    struct key {
        int64_t from, to;
    } * items;
    size_t count, room;
};

enum key_kind { KEY_RUN, KEY_CASE, KEY_JUDGEMENT, KEY_HUNT, KEY_DEVICE, KEY_KINDS };

struct source {
    const char *path;
    struct history *history;
    struct keys keys[KEY_KINDS];
};

struct join {
    sqlite3 *db;
    struct source *sources;
    size_t count;
};

/* ---- keys */

static bool add_key(struct keys *keys, int64_t from, int64_t to)
{
    if (keys->count == keys->room) {
        size_t room = keys->room ? keys->room * 2 : 256;
        struct key *items = realloc(keys->items, room * sizeof *items);
        if (!items)
            return false;
        keys->items = items;
        keys->room = room;
    }
    keys->items[keys->count++] = (struct key){from, to};
    return true;
}

static int by_from(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static const struct key *find_key(const struct keys *keys, int64_t from)
{
    const struct key wanted = {.from = from};
    return keys->count ? bsearch(&wanted, keys->items, keys->count, sizeof wanted, by_from) : NULL;
}

/* ---- rows */

/* How rows get from one database to the other: the columns of `get`, in order, are the parameters of `put`; `get` may ask for
 * one row by its key. `how` says, a letter a column, what becomes of it: v as it is; r, c, j, h, e a key of a run, case,
 * judgement, hunt or device. A `put` that returns a row gives the key that the first column of `get` has become. */
struct table {
    const char *name, *get, *put, *how;
    enum key_kind gives; /* KEY_KINDS: none */
};

static const struct table devices = {
    "device", "SELECT id, device, name, driver, version, feature_level FROM device ORDER BY id",
    "INSERT INTO device (device, name, driver, version, feature_level) SELECT ?2, ?3, ?4, ?5, ?6 WHERE ?1 IS NOT NULL "
    "ON CONFLICT (device, name, driver, version, feature_level) DO UPDATE SET name = name RETURNING id",
    "vvvvvv", KEY_DEVICE};

static const struct table runs = {
    "run",
    "SELECT id, device_id, version, seed, planned, plan_hash, shard, shards, command, started, ended, state FROM run "
    "WHERE id = ?1",
    "INSERT INTO run (device_id, version, seed, planned, plan_hash, shard, shards, command, started, ended, state) "
    "SELECT ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12 WHERE ?1 IS NOT NULL RETURNING id",
    "vevvvvvvvvvv", KEY_RUN};

static const struct table cases = {
    "test_case", "SELECT id, name, operator, feature_level, data_types FROM test_case ORDER BY id",
    "INSERT INTO test_case (name, operator, feature_level, data_types) SELECT ?2, ?3, ?4, ?5 WHERE ?1 IS NOT NULL "
    "ON CONFLICT (name) DO UPDATE SET name = name RETURNING id",
    "vvvvv", KEY_CASE};

static const struct table judgements = {
    "judgement", "SELECT id, rule, strength, pages, expected, outcome FROM judgement ORDER BY id",
    "INSERT INTO judgement (rule, strength, pages, expected, outcome) SELECT ?2, ?3, ?4, ?5, ?6 WHERE ?1 IS NOT NULL "
    "ON CONFLICT (rule, strength, pages, expected, outcome) DO UPDATE SET rule = rule RETURNING id",
    "vvvvvv", KEY_JUDGEMENT};

static const struct table hunts = {"fuzz_hunt",
                                   "SELECT id, state, device, name, driver, feature_level, version, seed, shard, "
                                   "first, next, tried, executed, places, "
                                   "seconds, ended FROM fuzz_hunt ORDER BY id",
                                   "INSERT INTO fuzz_hunt (state, device, name, driver, feature_level, version, seed, "
                                   "shard, first, next, tried, executed, "
                                   "places, seconds, ended) SELECT ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
                                   "?14, ?15, ?16 WHERE ?1 IS NOT NULL "
                                   "RETURNING id",
                                   "vvvvvvvvvvvvvvvv", KEY_HUNT};

static const struct table plain[] = {
    {"result", "SELECT run_id, case_id, attempt, status, judgement_id, host_ns, device_ns, seed, slow FROM result",
     "INSERT INTO result (run_id, case_id, attempt, status, judgement_id, host_ns, device_ns, seed, slow) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
     "rcvvjvvvv", KEY_KINDS},
    {"detail",
     "SELECT run_id, case_id, attempt, message, wrong_count, wrong_tensor, wrong_coordinates, wrong_got, "
     "wrong_expected, "
     "reproduce, flaky, expectation, reason, cause FROM detail",
     "INSERT INTO detail (run_id, case_id, attempt, message, wrong_count, wrong_tensor, wrong_coordinates, wrong_got, "
     "wrong_expected, reproduce, flaky, expectation, reason, cause) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
     "rcvvvvvvvvvvvv", KEY_KINDS},
    {"timing_sample", "SELECT run_id, case_id, repeat, host_ns, device_ns FROM timing_sample",
     "INSERT INTO timing_sample (run_id, case_id, repeat, host_ns, device_ns) VALUES (?1, ?2, ?3, ?4, ?5)", "rcvvv",
     KEY_KINDS},
    {"coverage",
     "SELECT measured, version, plan_hash, operator, ways, covered, missed, undecided, impossible FROM coverage "
     "ORDER BY id",
     "INSERT INTO coverage (measured, version, plan_hash, operator, ways, covered, missed, undecided, impossible) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
     "vvvvvvvvv", KEY_KINDS},
    {"fuzz_finding",
     "SELECT hunt_id, kind, operator, rule, strength, also, failure, count, position, original, minimum, steps, "
     "executed, "
     "fill, indices, seed, result, message FROM fuzz_finding ORDER BY id",
     "INSERT INTO fuzz_finding (hunt_id, kind, operator, rule, strength, also, failure, count, position, original, "
     "minimum, steps, executed, fill, indices, seed, result, message) "
     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
     "hvvvvvvvvvvvvvvvvv", KEY_KINDS},
    {"fuzz_count", "SELECT hunt_id, operator, rule, broken, verdict, count FROM fuzz_count",
     "INSERT INTO fuzz_count (hunt_id, operator, rule, broken, verdict, count) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
     "hvvvvv", KEY_KINDS},
    {"mutation",
     "SELECT mutant, measured, version, kind, strength, operator, verdict, kills, warnings, seconds, first_case, "
     "strategies, reason FROM mutation",
     "INSERT OR REPLACE INTO mutation (mutant, measured, version, kind, strength, operator, verdict, kills, warnings, "
     "seconds, first_case, strategies, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
     "vvvvvvvvvvvvv", KEY_KINDS},
};

static int cannot_read(const struct source *from, struct error *error)
{
    sqlite3 *db = history_database(from->history);
    return error_set(error, EXIT_HARNESS, "%s: %s%s; expected an intact assay database", from->path,
                     sqlite3_errcode(db) == SQLITE_CORRUPT ? "the database is damaged: " : "", sqlite3_errmsg(db));
}

static int cannot_write(const struct join *join, const struct source *from, const char *table, struct error *error)
{
    const char *why = sqlite3_errmsg(join->db);
    switch (sqlite3_errcode(join->db)) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return error_set(error, EXIT_HARNESS, "%s: table %s holds what no assay database does: %s", from->path, table,
                         why);
    default:
        return error_set(error, EXIT_HARNESS, "%s: cannot be read into a temporary database: %s", from->path, why);
    }
}

static int unknown_key(const struct source *from, const char *table, enum key_kind kind, int64_t key,
                       struct error *error)
{
    static const char *const names[KEY_KINDS] = {"run", "case", "judgement", "search", "device"};
    return error_set(error, EXIT_HARNESS, "%s: table %s is about %s %lld, which is not there", from->path, table,
                     names[kind], (long long)key);
}

/* Whether the source has the table, and as one: a view could go on for ever. */
static bool has_table(const struct source *from, const char *name)
{
    sqlite3_stmt *row;
    bool has = false;
    if (sqlite3_prepare_v2(history_database(from->history),
                           "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND type = 'table'", -1,
                           &row, NULL) == SQLITE_OK) {
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
        has = sqlite3_step(row) == SQLITE_ROW;
    }
    sqlite3_finalize(row);
    return has;
}

static int bind(const struct source *from, const struct table *table, sqlite3_stmt *row, int column, sqlite3_stmt *put,
                struct error *error)
{
    static const char letters[] = "rcjhe";
    const char *letter = strchr(letters, table->how[column]);
    if (letter) {
        enum key_kind kind = (enum key_kind)(letter - letters);
        const struct key *key = find_key(&from->keys[kind], sqlite3_column_int64(row, column));
        if (!key)
            return unknown_key(from, table->name, kind, sqlite3_column_int64(row, column), error);
        sqlite3_bind_int64(put, column + 1, key->to);
    } else if (sqlite3_column_type(row, column) == SQLITE_TEXT) {
        store_bind_text(put, column + 1, (const char *)sqlite3_column_text(row, column));
    } else {
        sqlite3_bind_value(put, column + 1, sqlite3_column_value(row, column));
    }
    return 0;
}

static int copy_row(struct join *join, struct source *from, const struct table *table, sqlite3_stmt *row,
                    sqlite3_stmt *put, struct error *error)
{
    int result = 0;
    for (int i = 0; table->how[i] && result == 0; i++)
        result = bind(from, table, row, i, put, error);
    if (result)
        return result;
    int code = sqlite3_step(put);
    if (code == SQLITE_ROW && table->gives != KEY_KINDS &&
        !add_key(&from->keys[table->gives], sqlite3_column_int64(row, 0), sqlite3_column_int64(put, 0)))
        result = error_set(error, EXIT_HARNESS, "%s: out of memory", from->path);
    if (code == SQLITE_ROW)
        code = sqlite3_step(put);
    if (code != SQLITE_DONE && result == 0)
        result = cannot_write(join, from, table->name, error);
    sqlite3_reset(put);
    return result;
}

/* All rows, or the one of the key that `get` asks for. */
static int copy_table(struct join *join, struct source *from, const struct table *table, int64_t only,
                      struct error *error)
{
    sqlite3_stmt *row = NULL, *put = NULL;
    int code = SQLITE_DONE, result = 0;
    if (!has_table(from, table->name))
        return 0;
    if (sqlite3_prepare_v2(history_database(from->history), table->get, -1, &row, NULL) != SQLITE_OK)
        return cannot_read(from, error);
    if (sqlite3_prepare_v2(join->db, table->put, -1, &put, NULL) != SQLITE_OK)
        result = cannot_write(join, from, table->name, error);
    if (sqlite3_bind_parameter_count(row) > 0)
        sqlite3_bind_int64(row, 1, only);
    while (result == 0 && (code = sqlite3_step(row)) == SQLITE_ROW)
        result = copy_row(join, from, table, row, put, error);
    if (result == 0 && code != SQLITE_DONE)
        result = cannot_read(from, error);
    sqlite3_finalize(row);
    sqlite3_finalize(put);
    if (table->gives != KEY_KINDS && from->keys[table->gives].count)
        qsort(from->keys[table->gives].items, from->keys[table->gives].count, sizeof(struct key), by_from);
    return result;
}

/* ---- runs, in the order in which they began */

struct begun {
    char started[32];
    size_t source;
    int64_t id;
};

struct begun_list {
    struct begun *items;
    size_t count, room;
};

static int list_runs(const struct join *join, size_t source, struct begun_list *list, struct error *error)
{
    const struct source *from = &join->sources[source];
    sqlite3_stmt *row;
    int code, result = 0;
    if (sqlite3_prepare_v2(history_database(from->history), "SELECT id, started FROM run ORDER BY id", -1, &row,
                           NULL) != SQLITE_OK)
        return cannot_read(from, error);
    while ((code = sqlite3_step(row)) == SQLITE_ROW && result == 0) {
        if (list->count == list->room) {
            list->room = list->room ? list->room * 2 : 64;
            struct begun *items = realloc(list->items, list->room * sizeof *items);
            if (!items) {
                result = error_set(error, EXIT_HARNESS, "%s: out of memory", from->path);
                break;
            }
            list->items = items;
        }
        const char *started = (const char *)sqlite3_column_text(row, 1);
        struct begun *begun = &list->items[list->count++];
        *begun = (struct begun){.source = source, .id = sqlite3_column_int64(row, 0)};
        snprintf(begun->started, sizeof begun->started, "%s", started ? started : "");
    }
    if (result == 0 && code != SQLITE_DONE)
        result = cannot_read(from, error);
    sqlite3_finalize(row);
    return result;
}

static int by_start(const void *a, const void *b)
{
    const struct begun *x = a, *y = b;
    int order = strcmp(x->started, y->started);
    if (order == 0)
        order = (x->source > y->source) - (x->source < y->source);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

static int copy_runs(struct join *join, struct error *error)
{
    struct begun_list list = {0};
    int result = 0;
    for (size_t i = 0; i < join->count && result == 0; i++) {
        result = copy_table(join, &join->sources[i], &devices, 0, error);
        if (result == 0)
            result = list_runs(join, i, &list, error);
    }
    if (result == 0 && list.count)
        qsort(list.items, list.count, sizeof *list.items, by_start);
    for (size_t i = 0; i < list.count && result == 0; i++)
        result = copy_table(join, &join->sources[list.items[i].source], &runs, list.items[i].id, error);
    free(list.items);
    return result;
}

/* ---- all of it */

/* Where what has these keys comes from. */
static int note_source(struct join *join, const struct source *from, const struct keys *keys, const char *sql,
                       struct error *error)
{
    sqlite3_stmt *put = NULL;
    int result =
        sqlite3_prepare_v2(join->db, sql, -1, &put, NULL) == SQLITE_OK ? 0 : cannot_write(join, from, "source", error);
    for (size_t i = 0; i < keys->count && result == 0; i++) {
        sqlite3_bind_int64(put, 1, keys->items[i].to);
        store_bind_text(put, 2, from->path);
        sqlite3_bind_int64(put, 3, keys->items[i].from);
        if (sqlite3_step(put) != SQLITE_DONE)
            result = cannot_write(join, from, "source", error);
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return result;
}

static int copy_source(struct join *join, struct source *from, struct error *error)
{
    int result = copy_table(join, from, &cases, 0, error);
    if (result == 0)
        result = copy_table(join, from, &judgements, 0, error);
    if (result == 0)
        result = copy_table(join, from, &hunts, 0, error);
    if (result == 0)
        result = note_source(join, from, &from->keys[KEY_RUN], "INSERT INTO source VALUES (?1, ?2, ?3)", error);
    if (result == 0)
        result = note_source(join, from, &from->keys[KEY_HUNT], "INSERT INTO hunt_source VALUES (?1, ?2, ?3)", error);
    for (size_t t = 0; t < sizeof plain / sizeof *plain && result == 0; t++)
        result = copy_table(join, from, &plain[t], 0, error);
    return result;
}

static int make_database(struct join *join, struct error *error)
{
    static const char sources[] =
        "CREATE TABLE source (run_id INTEGER PRIMARY KEY, database TEXT NOT NULL, original INTEGER NOT NULL) STRICT;"
        "CREATE TABLE hunt_source (id INTEGER PRIMARY KEY, database TEXT NOT NULL, original INTEGER NOT NULL) STRICT;"
        "BEGIN";
    /* Nobody else sees it, and nothing of it is to last. */
    static const char haste[] = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536";
    if (sqlite3_open_v2("", &join->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(join->db, haste, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, fuzz_schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, mutation_schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_exec(join->db, sources, NULL, NULL, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "no temporary database can be made: %s",
                         join->db ? sqlite3_errmsg(join->db) : "out of memory");
    return 0;
}

static int fill(struct join *join, const char *const *paths, struct error *error)
{
    int result = make_database(join, error);
    for (size_t i = 0; i < join->count && result == 0; i++) {
        join->sources[i].path = paths[i];
        result = history_open(paths[i], &join->sources[i].history, error);
    }
    if (result == 0)
        result = copy_runs(join, error);
    for (size_t i = 0; i < join->count && result == 0; i++)
        result = copy_source(join, &join->sources[i], error);
    if (result == 0 && sqlite3_exec(join->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        result = error_set(error, EXIT_HARNESS, "no temporary database can be written: %s", sqlite3_errmsg(join->db));
    return result;
}

int history_join(const char *const *paths, size_t count, struct history **out, struct error *error)
{
    struct join join = {.sources = calloc(count ? count : 1, sizeof *join.sources), .count = count};
    *out = NULL;
    if (!join.sources)
        return error_set(error, EXIT_HARNESS, "out of memory");
    int result = count <= SOURCES_MAX ? fill(&join, paths, error)
                                      : error_set(error, EXIT_USAGE, "at most %d databases", SOURCES_MAX);
    for (size_t i = 0; i < count; i++) {
        history_close(join.sources[i].history);
        for (int k = 0; k < KEY_KINDS; k++)
            free(join.sources[i].keys[k].items);
    }
    free(join.sources);
    if (result == 0)
        result = history_adopt(join.db, count == 1 ? paths[0] : "the databases", out, error);
    else
        sqlite3_close(join.db);
    return result;
}
