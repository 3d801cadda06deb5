#include "harness/results/copy_rows.h"

#include "harness/results/store_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tables whose rows other tables refer to, and the columns that identify a row; null: every row is a new one. */
static const struct key_table {
    const char *table, *column, *title, *unique;
} key_tables[COPY_KEYS] = {
    [COPY_RUN] = {"run", "run_id", "run", NULL},
    [COPY_CASE] = {"test_case", "case_id", "case", "name"},
    [COPY_JUDGEMENT] = {"judgement", "judgement_id", "judgement", JUDGEMENT_COLUMNS},
    [COPY_HUNT] = {"fuzz_hunt", "hunt_id", "search", NULL},
    [COPY_DEVICE] = {"device", "device_id", "device", "device, name, driver, version, feature_level"},
};

/* The columns of a table to copy: all but its own id and the invocation, which is not copied. */
struct columns {
    char names[ROW_COLUMNS_MAX][ROW_NAME_SIZE];
    enum copy_key keys[ROW_COLUMNS_MAX]; /* COPY_KEYS: no foreign key */
    int count;
};

/* ---- ids */

bool copy_add_id(struct copy *copy, enum copy_key key, int64_t from, int64_t to)
{
    struct copy_ids *ids = &copy->ids[key];
    if (ids->count == ids->room) {
        size_t room = ids->room ? ids->room * 2 : 256;
        struct copy_id *items = realloc(ids->items, room * sizeof *items);
        if (!items)
            return false;
        ids->items = items;
        ids->room = room;
    }
    ids->items[ids->count++] = (struct copy_id){from, to};
    return true;
}

static int by_from(const void *a, const void *b)
{
    const struct copy_id *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

static const struct copy_id *find_id(const struct copy_ids *ids, int64_t from)
{
    const struct copy_id wanted = {.from = from};
    return ids->count ? bsearch(&wanted, ids->items, ids->count, sizeof wanted, by_from) : NULL;
}

void copy_free(struct copy *copy)
{
    for (int key = 0; key < COPY_KEYS; key++) {
        free(copy->ids[key].items);
        copy->ids[key] = (struct copy_ids){0};
    }
}

/* ---- errors */

static int cannot_read(const struct copy *copy, struct error *error)
{
    sqlite3 *db = history_database(copy->from);
    return error_set(error, EXIT_HARNESS, "%s: %s%s; expected an intact assay database", history_path(copy->from),
                     sqlite3_errcode(db) == SQLITE_CORRUPT ? "the database is damaged: " : "", guard_message(db));
}

static int copy_rows_cannot_write(const struct copy *copy, const char *table, struct error *error)
{
    const char *path = history_path(copy->from), *why = guard_message(copy->to);
    switch (sqlite3_errcode(copy->to)) {
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
        return error_set(error, EXIT_HARNESS, "%s: table %s holds what no assay database does: %s", path, table, why);
    default:
        return error_set(error, EXIT_HARNESS, "%s: cannot be copied into another database: %s", path, why);
    }
}

static int unknown_id(const struct copy *copy, const char *table, enum copy_key key, int64_t id, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: table %s refers to %s %lld, which does not exist",
                     history_path(copy->from), table, key_tables[key].title, (long long)id);
}

/* ---- statements */

/* Returns true if the history has a plain table of that name. The query of a view might never end. */
static bool has_table(const struct copy *copy, const char *name)
{
    sqlite3_stmt *row;
    bool has = false;
    if (sqlite3_prepare_v2(history_database(copy->from),
                           "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND name = ?1 AND type = 'table'", -1,
                           &row, NULL) == SQLITE_OK) {
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
        has = sqlite3_step(row) == SQLITE_ROW;
    }
    sqlite3_finalize(row);
    return has;
}

/* Reads the columns of a table of the target. */
static int find_columns(const struct copy *copy, const char *table, struct columns *columns, struct error *error)
{
    struct row row;
    int code =
        row_prepare(&row, copy->to, "SELECT name FROM pragma_table_info(?1) WHERE name NOT IN ('id', 'invocation_id')");
    columns->count = 0;
    if (code == SQLITE_OK)
        sqlite3_bind_text(row.statement, 1, table, -1, SQLITE_STATIC);
    while (code == SQLITE_OK && sqlite3_step(row.statement) == SQLITE_ROW && columns->count < ROW_COLUMNS_MAX) {
        int i = columns->count++, key = 0;
        snprintf(columns->names[i], ROW_NAME_SIZE, "%s", row_text(&row, "name"));
        while (key < COPY_KEYS && strcmp(columns->names[i], key_tables[key].column) != 0)
            key++;
        columns->keys[i] = (enum copy_key)key;
    }
    row_close(&row);
    return columns->count > 0 ? 0 : copy_rows_cannot_write(copy, table, error);
}

static void copy_rows_print_names(FILE *sql, const struct columns *columns)
{
    for (int i = 0; i < columns->count; i++)
        fprintf(sql, "%s%s", i ? ", " : "", columns->names[i]);
}

/* Prints a query for the columns in order; for a table in `key_tables` the id follows them. */
static void print_select(FILE *sql, const char *table, const struct columns *columns, bool has_id, const char *where)
{
    fputs("SELECT ", sql);
    copy_rows_print_names(sql, columns);
    fprintf(sql, "%s FROM %s%s%s%s", has_id ? ", id" : "", table, where ? " WHERE " : "", where ? where : "",
            has_id ? " ORDER BY id" : "");
}

/* Prints an INSERT with the columns in order as parameters, which returns the id for a table in `key_tables`. */
static void print_insert(FILE *sql, const char *table, const struct columns *columns, const struct key_table *key)
{
    /* The mutants of the last database given replace earlier ones of the same names. */
    fprintf(sql, "INSERT%s INTO %s (", strcmp(table, "mutation") == 0 ? " OR REPLACE" : "", table);
    copy_rows_print_names(sql, columns);
    for (int i = 0; i < columns->count; i++)
        fprintf(sql, "%s?%d", i ? ", " : ") VALUES (", i + 1);
    putc(')', sql);
    if (key && key->unique)
        fprintf(sql, " ON CONFLICT (%s) DO UPDATE SET id = id", key->unique);
    if (key)
        fputs(" RETURNING id", sql);
}

static int copy_rows_prepare(const struct copy *copy, const char *table, const struct columns *columns,
                             const struct key_table *key, const char *where, sqlite3_stmt **row, sqlite3_stmt **put,
                             struct error *error)
{
    char *select = NULL, *insert = NULL;
    size_t size;
    int result = 0;
    FILE *sql = open_memstream(&select, &size);
    if (sql) {
        print_select(sql, table, columns, key != NULL, where);
        fclose(sql);
        sql = open_memstream(&insert, &size);
    }
    if (sql) {
        print_insert(sql, table, columns, key);
        fclose(sql);
    }
    if (!select || !insert)
        result = error_set(error, EXIT_HARNESS, "%s: out of memory", history_path(copy->from));
    else if (sqlite3_prepare_v2(history_database(copy->from), select, -1, row, NULL) != SQLITE_OK)
        result = cannot_read(copy, error);
    else if (sqlite3_prepare_v2(copy->to, insert, -1, put, NULL) != SQLITE_OK)
        result = copy_rows_cannot_write(copy, table, error);
    free(select);
    free(insert);
    return result;
}

/* ---- rows */

static int copy_rows_bind(const struct copy *copy, const char *table, const struct columns *columns, int column,
                          sqlite3_stmt *row, sqlite3_stmt *put, struct error *error)
{
    enum copy_key key = columns->keys[column];
    if (key != COPY_KEYS) {
        int64_t from = sqlite3_column_int64(row, column);
        const struct copy_id *id = find_id(&copy->ids[key], from);
        if (!id)
            return unknown_id(copy, table, key, from, error);
        sqlite3_bind_int64(put, column + 1, id->to);
    } else if (sqlite3_column_type(row, column) == SQLITE_TEXT) {
        store_bind_text(put, column + 1, (const char *)sqlite3_column_text(row, column));
    } else {
        sqlite3_bind_value(put, column + 1, sqlite3_column_value(row, column));
    }
    return 0;
}

static int copy_row(struct copy *copy, const char *table, const struct columns *columns, const struct key_table *key,
                    sqlite3_stmt *row, sqlite3_stmt *put, struct error *error)
{
    int result = 0;
    for (int i = 0; i < columns->count && result == 0; i++)
        result = copy_rows_bind(copy, table, columns, i, row, put, error);
    if (result)
        return result;
    int code = sqlite3_step(put);
    if (code == SQLITE_ROW && !copy_add_id(copy, (enum copy_key)(key - key_tables),
                                           sqlite3_column_int64(row, columns->count), sqlite3_column_int64(put, 0)))
        result = error_set(error, EXIT_HARNESS, "%s: out of memory", history_path(copy->from));
    if (code == SQLITE_ROW)
        code = sqlite3_step(put);
    if (code != SQLITE_DONE && result == 0)
        result = copy_rows_cannot_write(copy, table, error);
    sqlite3_reset(put);
    return result;
}

int copy_rows(struct copy *copy, const char *table, const char *where, int64_t parameter, struct error *error)
{
    const struct key_table *key = NULL;
    struct columns columns;
    sqlite3_stmt *row = NULL, *put = NULL;
    int code = SQLITE_DONE;
    for (int i = 0; i < COPY_KEYS; i++)
        if (strcmp(key_tables[i].table, table) == 0)
            key = &key_tables[i];
    if (!has_table(copy, table))
        return 0;
    int result = find_columns(copy, table, &columns, error);
    if (result == 0)
        result = copy_rows_prepare(copy, table, &columns, key, where, &row, &put, error);
    if (result == 0 && where)
        sqlite3_bind_int64(row, 1, parameter);
    while (result == 0 && (code = sqlite3_step(row)) == SQLITE_ROW)
        result = copy_row(copy, table, &columns, key, row, put, error);
    if (result == 0 && code != SQLITE_DONE)
        result = cannot_read(copy, error);
    sqlite3_finalize(row);
    sqlite3_finalize(put);
    if (key && copy->ids[key - key_tables].count)
        qsort(copy->ids[key - key_tables].items, copy->ids[key - key_tables].count, sizeof(struct copy_id), by_from);
    return result;
}
