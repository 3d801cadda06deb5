/* The data of a report as one JSON object: the results of the queries in reports/dashboard/data.sql, the changes since
 * the baselines, and the groups of failures. */
#include "harness/results/guard.h"
#include "harness/results/report_data.h"

#include "harness/results/report_causes.h"
#include "harness/results/report_changes.h"
#include "harness/results/report_operators.h"
#include "harness/results/report_texts.h"
#include "harness/base/text.h"

#include "generated/dashboard_data.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    DATA_VERSION = 4,
    VALUE_MAX = 512 << 20 /* bytes of an array that SQLite builds */
};

enum section_kind { PREPARE, ROWS, VALUES, OBJECT, SECTION_KINDS };

static const char *const kind_names[SECTION_KINDS] = {
    [PREPARE] = "prepare", [ROWS] = "rows", [VALUES] = "values", [OBJECT] = "object"};

/* A section of data.sql. */
struct section {
    enum section_kind kind;
    char key[64], group[64]; /* "fuzz.searches" is key searches in group fuzz; group "" is the top level */
    char *sql;
};

struct printer {
    sqlite3 *db;
    FILE *out;
    char group[64]; /* the open group */
    bool first;     /* the next key is the first of its group */
};

static int report_data_fail(const struct printer *p, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the report's data cannot be made: %s", guard_message(p->db));
}

/* ---- values */

static void report_data_print_value(FILE *out, sqlite3_stmt *row, int column)
{
    double number;
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        fprintf(out, "%" PRId64, (int64_t)sqlite3_column_int64(row, column));
        return;
    case SQLITE_FLOAT:
        number = sqlite3_column_double(row, column);
        if (isfinite(number))
            fprintf(out, "%.15g", number);
        else
            fputs("null", out);
        return;
    case SQLITE_TEXT:
        text_print_json(out, (const char *)sqlite3_column_text(row, column));
        return;
    default:
        fputs("null", out);
    }
}

/* Returns true if a column holds JSON: its name is then "NAME json". Sets `*length` to the length of NAME. */
static bool is_json(const char *name, size_t *length)
{
    static const char mark[] = " json";
    *length = strlen(name);
    if (*length < sizeof mark || strcmp(name + *length - (sizeof mark - 1), mark) != 0)
        return false;
    *length -= sizeof mark - 1;
    return true;
}

static void print_column(FILE *out, sqlite3_stmt *row, int column, bool named)
{
    size_t length;
    const char *name = sqlite3_column_name(row, column);
    bool json = is_json(name, &length);
    if (named)
        fprintf(out, "\"%.*s\":", (int)length, name);
    if (json && sqlite3_column_type(row, column) == SQLITE_TEXT)
        fputs((const char *)sqlite3_column_text(row, column), out);
    else
        report_data_print_value(out, row, column);
}

/* ---- sections */

static void report_data_print_members(FILE *out, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        if (i)
            putc(',', out);
        print_column(out, row, i, true);
    }
}

/* Prints the rows as an array: of objects, or of the values of the first column. */
static int print_array(const struct printer *p, sqlite3_stmt *row, bool objects, struct error *error)
{
    const char *before = "";
    int code;
    putc('[', p->out);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        fputs(before, p->out);
        before = objects ? ",\n" : ",";
        if (!objects) {
            print_column(p->out, row, 0, false);
            continue;
        }
        putc('{', p->out);
        report_data_print_members(p->out, row);
        putc('}', p->out);
    }
    putc(']', p->out);
    return code == SQLITE_DONE ? 0 : report_data_fail(p, error);
}

static int print_object(const struct printer *p, sqlite3_stmt *row, struct error *error)
{
    int code = sqlite3_step(row);
    if (code == SQLITE_ROW) {
        report_data_print_members(p->out, row);
        code = sqlite3_step(row);
    }
    return code == SQLITE_DONE ? 0 : report_data_fail(p, error);
}

/* Begins a group, after ending the open one, unless it is the same. */
static void enter_group(struct printer *p, const char *group)
{
    if (strcmp(p->group, group) != 0) {
        if (*p->group)
            fputs("}", p->out);
        if (*group)
            fprintf(p->out, ",\n\"%s\":{", group);
        p->first = *group;
        snprintf(p->group, sizeof p->group, "%s", group);
    }
    if (!p->first)
        fputs(",\n", p->out);
    p->first = false;
}

static int print_section(struct printer *p, const struct section *section, struct error *error)
{
    sqlite3_stmt *row;
    int result = 0;
    if (section->kind == PREPARE)
        return sqlite3_exec(p->db, section->sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : report_data_fail(p, error);
    if (sqlite3_prepare_v2(p->db, section->sql, -1, &row, NULL) != SQLITE_OK)
        return report_data_fail(p, error);
    enter_group(p, section->group);
    if (*section->key)
        fprintf(p->out, "\"%s\":", section->key);
    if (section->kind == OBJECT)
        result = print_object(p, row, error);
    else
        result = print_array(p, row, section->kind == ROWS, error);
    sqlite3_finalize(row);
    return result;
}

/* Takes the next section off `*text`; the caller frees its sql. False: there are no more. */
static bool next_section(const char **text, struct section *section)
{
    const char *line = *text;
    for (; *line; line = strchr(line, '\n') + 1)
        for (int kind = 0; kind < SECTION_KINDS; kind++) {
            size_t length = strlen(kind_names[kind]);
            if (strncmp(line, "-- ", 3) != 0 || strncmp(line + 3, kind_names[kind], length) != 0 ||
                !strchr(" \n", line[3 + length]))
                continue;
            char path[64] = "";
            sscanf(line + 3 + length, " %63[a-z_.]\n", path);
            if (line[3 + length] == '\n')
                *path = '\0';
            const char *dot = strchr(path, '.'), *from = strchr(line, '\n') + 1, *end = strstr(from, "\n\n-- ");
            *section = (struct section){.kind = (enum section_kind)kind};
            snprintf(section->group, sizeof section->group, "%.*s", dot ? (int)(dot - path) : 0, path);
            snprintf(section->key, sizeof section->key, "%s", dot ? dot + 1 : path);
            *text = end ? end + 2 : from + strlen(from);
            section->sql = strndup(from, (size_t)(*text - from));
            return true;
        }
    return false;
}

/* ---- the whole */

/* Drops the temporary tables and views of data.sql. */
static int drop_tables(const struct printer *p, struct error *error)
{
    char *drop = NULL;
    sqlite3_stmt *row;
    int result = 0;
    if (sqlite3_prepare_v2(
            p->db,
            "SELECT group_concat('DROP ' || type || ' temp.' || name || ';', '') FROM temp.sqlite_schema "
            "WHERE type IN ('table', 'view') AND name GLOB 'page_*'",
            -1, &row, NULL) != SQLITE_OK)
        return report_data_fail(p, error);
    if (sqlite3_step(row) == SQLITE_ROW && sqlite3_column_type(row, 0) == SQLITE_TEXT)
        drop = strdup((const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    if (drop && sqlite3_exec(p->db, drop, NULL, NULL, NULL) != SQLITE_OK)
        result = report_data_fail(p, error);
    free(drop);
    return result;
}

/* Makes table page_device, from which data.sql knows the current runs and baselines. */
static int choose_runs(const struct printer *p, const struct report *report, struct error *error)
{
    static const char table[] =
        "CREATE TEMP TABLE page_device (place INTEGER PRIMARY KEY, device TEXT UNIQUE, run_id INTEGER "
        "UNIQUE, before_run_id INTEGER)";
    sqlite3_stmt *put = NULL;
    int result = 0;
    if (sqlite3_exec(p->db, table, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(p->db, "INSERT INTO page_device VALUES (?1, ?2, ?3, nullif(?4, 0))", -1, &put, NULL) !=
            SQLITE_OK)
        result = report_data_fail(p, error);
    for (size_t i = 0; i < report->device_count && result == 0; i++) {
        sqlite3_bind_int64(put, 1, (int64_t)i);
        sqlite3_bind_text(put, 2, report->devices[i].run.device, -1, SQLITE_STATIC);
        sqlite3_bind_int64(put, 3, report->devices[i].run.id);
        sqlite3_bind_int64(put, 4, report->devices[i].before.id);
        if (sqlite3_step(put) != SQLITE_DONE)
            result = report_data_fail(p, error);
        sqlite3_reset(put);
    }
    sqlite3_finalize(put);
    return result;
}

int report_data_print(const struct report *report, FILE *out, struct error *error)
{
    struct printer p = {.db = history_database(report->history), .out = out};
    struct section section;
    sqlite3_limit(p.db, SQLITE_LIMIT_LENGTH, VALUE_MAX);
    int result = choose_runs(&p, report, error);
    if (result == 0)
        result = report_operators_list(p.db, error);
    fprintf(out, "{\"v\":%d,\n\"assay\":\"%s\",\n\"databases\":[", DATA_VERSION, ASSAY_VERSION);
    for (size_t i = 0; i < report->database_count; i++) {
        fputs(i ? "," : "", out);
        text_print_json(out, report->databases[i]);
    }
    fputs("],\n\"issues\":", out);
    text_print_json(out, report->issues ? report->issues : "");
    for (const char *text = dashboard_data_sql; result == 0 && next_section(&text, &section);) {
        result = print_section(&p, &section, error);
        free(section.sql);
    }
    if (result == 0) {
        enter_group(&p, "");
        fputs("\"changes\":", out);
        result = report_changes_print(report, out, error);
    }
    if (result == 0) {
        fputs(",\n\"groups\":", out);
        result = report_causes_print_json(report, out, error);
    }
    if (result == 0) {
        fputs(",\n\"texts\":", out);
        result = report_texts_print_json(report, out, error);
    }
    fputs("}\n", out);
    int dropped = drop_tables(&p, error);
    return result ? result : dropped;
}

const struct report_form report_json = {.name = "json", .write = report_data_print};
