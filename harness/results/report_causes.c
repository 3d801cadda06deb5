/* The groups of failures of the current state of devices, and the report of them for other programs: tab-separated, a
 * line a group. */
#include "harness/results/guard.h"
#include "harness/results/report_causes.h"

#include "harness/base/text.h"
#include "harness/results/record_row.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static bool report_causes_add_case(struct report_causes *causes, size_t *room, const struct record *record)
{
    if (causes->case_count == *room) {
        size_t larger = *room ? *room * 2 : 1024;
        struct cause_case *cases = realloc(causes->cases, larger * sizeof *cases);
        if (!cases)
            return false;
        causes->cases = cases;
        *room = larger;
    }
    struct cause_case *added = &causes->cases[causes->case_count];
    *added = (struct cause_case){.name = strdup(record->case_name)};
    added->ran = record->verdict.status != STATUS_SKIP && record->verdict.status != STATUS_UNSUPPORTED &&
                 record->verdict.status != STATUS_INCOMPLETE;
    if (!added->name)
        return false;
    causes_add(&causes->causes, record, causes->case_count++);
    return true;
}

static bool has_failures(sqlite3 *db, int64_t as_of)
{
    sqlite3_stmt *row;
    bool has = false;
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM current_results WHERE as_of = ?1 AND (failed OR status = 'warn')", -1,
                           &row, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(row, 1, as_of);
        has = sqlite3_step(row) == SQLITE_ROW;
    }
    sqlite3_finalize(row);
    return has;
}

int report_causes_read(const struct report *report, int64_t as_of, struct report_causes *out, struct error *error)
{
    sqlite3 *db = history_database(report->history);
    struct row row;
    struct record record;
    size_t room = 0;
    bool memory = true;
    int code = SQLITE_DONE;
    *out = (struct report_causes){0};
    if (!has_failures(db, as_of))
        return 0;
    if (row_prepare(&row, db, "SELECT " RECORD_ROW " FROM current_results WHERE as_of = ?1 ORDER BY case_id") !=
        SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(db));
    sqlite3_bind_int64(row.statement, 1, as_of);
    while (memory && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        record_row(&row, &record);
        memory = report_causes_add_case(out, &room, &record);
    }
    if (memory && code != SQLITE_DONE)
        error_set(error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(db));
    row_close(&row);
    if (!memory || out->causes.failed)
        return error_set(error, EXIT_HARNESS, "out of memory");
    out->count = causes_group(&out->causes, out->cases, out->case_count, &out->groups);
    return code == SQLITE_DONE ? 0 : EXIT_HARNESS;
}

void report_causes_free(struct report_causes *causes)
{
    for (size_t i = 0; i < causes->case_count; i++)
        free((char *)(uintptr_t)causes->cases[i].name);
    free(causes->cases);
    free(causes->groups);
    causes_free(&causes->causes);
    *causes = (struct report_causes){0};
}

/* ---- the report */

static void report_causes_print_text(FILE *out, const char *text)
{
    putc('\t', out);
    text_print(out, text);
}

static int write_causes(const struct report *report, FILE *out, struct error *error)
{
    int result = 0;
    fputs("device\tkind\tcases\tbesides\tsuch\tcause\tbroken\ttensors\twhere\ttitle\treproduce\n", out);
    for (size_t i = 0; i < report->device_count && result == 0; i++) {
        struct report_causes causes;
        result = report_causes_read(report, report->devices[i].run.id, &causes, error);
        for (size_t g = 0; g < causes.count && result == 0; g++) {
            const struct cause_group *group = &causes.groups[g];
            text_print(out, report->devices[i].run.device);
            fprintf(out, "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, group->warnings ? "warning" : "failure",
                    group->cases, group->besides, group->such);
            report_causes_print_text(out, group->name);
            report_causes_print_text(out, group->broken);
            report_causes_print_text(out, group->tensors);
            report_causes_print_text(out, group->where);
            report_causes_print_text(out, group->title);
            report_causes_print_text(out, group->reproduce);
            putc('\n', out);
        }
        report_causes_free(&causes);
    }
    return result;
}

/* ---- as JSON */

/* Prints the members of a group as indices into the report's arrays of cases, in order, and the runs since which the
 * first and the last of them fail. */
static void report_causes_print_members(FILE *out, sqlite3_stmt *find, const struct causes *causes, size_t group)
{
    const char *name, *comma = "";
    size_t of;
    int64_t since = INT64_MAX, newest = -1;
    fputs(",\"members\":[", out);
    for (size_t i = 0; causes_member(causes, &i, &name, &of); i++) {
        if (of != group)
            continue;
        sqlite3_bind_text(find, 1, name, -1, SQLITE_STATIC);
        if (sqlite3_step(find) == SQLITE_ROW) {
            fprintf(out, "%s%" PRId64, comma, (int64_t)sqlite3_column_int64(find, 0));
            comma = ",";
            if (sqlite3_column_type(find, 1) == SQLITE_INTEGER) {
                int64_t first_bad = sqlite3_column_int64(find, 1);
                since = first_bad < since ? first_bad : since;
                newest = first_bad > newest ? first_bad : newest;
            }
        }
        sqlite3_reset(find);
    }
    if (since == INT64_MAX)
        fputs("],\"since\":null,\"newest\":null", out);
    else
        fprintf(out, "],\"since\":%" PRId64 ",\"newest\":%" PRId64, since, newest);
}

int report_causes_print_json(const struct report *report, FILE *out, struct error *error)
{
    sqlite3 *db = history_database(report->history);
    sqlite3_stmt *find;
    const char *before = "";
    int result = 0;
    if (sqlite3_prepare_v2(
            db,
            "SELECT place, first_bad FROM page_case LEFT JOIN page_trend ON device = ?2 AND \"case\" = place "
            "WHERE name = ?1",
            -1, &find, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(db));
    putc('[', out);
    for (size_t i = 0; i < report->device_count && result == 0; i++) {
        struct report_causes causes;
        result = report_causes_read(report, report->devices[i].run.id, &causes, error);
        sqlite3_bind_int64(find, 2, (int64_t)i);
        for (size_t g = 0; g < causes.count && result == 0; g++) {
            fprintf(out, "%s{\"device\":%zu,", before, i);
            causes_print_json(out, &causes.groups[g]);
            report_causes_print_members(out, find, &causes.causes, g);
            putc('}', out);
            before = ",\n";
        }
        report_causes_free(&causes);
    }
    putc(']', out);
    sqlite3_finalize(find);
    return result;
}

const struct report_form report_causes = {.name = "causes", .write = write_causes};
