/* The results of the current runs as comma-separated values (RFC 4180), one row per case. Text that a spreadsheet would
 * evaluate as a formula gets a leading apostrophe. */
#include "harness/results/guard.h"
#include "harness/results/report.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <string.h>

static void report_csv_print_text(FILE *out, const char *text)
{
    putc('"', out);
    if (*text && strchr("=+-@\t\r", *text))
        putc('\'', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

static void report_csv_print_row(FILE *out, sqlite3_stmt *row)
{
    for (int i = 0; i < sqlite3_column_count(row); i++) {
        if (i)
            putc(',', out);
        if (sqlite3_column_type(row, i) == SQLITE_INTEGER)
            fprintf(out, "%" PRId64, (int64_t)sqlite3_column_int64(row, i));
        else if (sqlite3_column_type(row, i) == SQLITE_TEXT)
            report_csv_print_text(out, (const char *)sqlite3_column_text(row, i));
    }
    fputs("\r\n", out);
}

static int report_csv_write_rows(const struct report *report, FILE *out, struct error *error)
{
    static const char sql[] =
        "SELECT device, database, original AS run, case_name, operator, feature_level, data_types, status, failed, "
        "cause, rule, strength, pages, message, expected, outcome, wrong_count, wrong_tensor, wrong_coordinates, "
        "wrong_got, "
        "wrong_expected, attempt AS attempts, flaky, expectation, reason, host_ns, device_ns, seed, reproduce, "
        "(SELECT label FROM runs WHERE runs.run_id = source.run_id) AS label, "
        "(SELECT revision FROM runs WHERE runs.run_id = source.run_id) AS revision, "
        "(SELECT device_build FROM runs WHERE runs.run_id = source.run_id) AS device_build, "
        "(SELECT device_hash FROM runs WHERE runs.run_id = source.run_id) AS device_hash, known, broken, explanations, "
        "shared, wrong_elements, error_ulps, error_share, wrong_inputs, error_place "
        "FROM current_results JOIN source USING (run_id) WHERE as_of = ?1 ORDER BY case_name";
    sqlite3 *db = history_database(report->history);
    sqlite3_stmt *row;
    int code = SQLITE_DONE;
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(db));
    for (int i = 0; i < sqlite3_column_count(row); i++)
        fprintf(out, "%s%s", i ? "," : "", sqlite3_column_name(row, i));
    fputs("\r\n", out);
    for (size_t i = 0; i < report->device_count && code == SQLITE_DONE; i++) {
        sqlite3_bind_int64(row, 1, report->devices[i].run.id);
        while ((code = sqlite3_step(row)) == SQLITE_ROW)
            report_csv_print_row(out, row);
        sqlite3_reset(row);
    }
    if (code != SQLITE_DONE)
        error_set(error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(db));
    sqlite3_finalize(row);
    return code == SQLITE_DONE ? 0 : EXIT_HARNESS;
}

const struct report_form report_csv = {.name = "csv", .write = report_csv_write_rows};
