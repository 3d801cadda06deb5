/* The runs that are shown as JUnit XML: their records, read back, in the format of that name. */
#include "harness/results/format.h"
#include "harness/results/record_row.h"
#include "harness/results/report.h"
#include "harness/results/row.h"

#include <sqlite3.h>

static int fail(const struct report *report, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the results cannot be read: %s",
                     sqlite3_errmsg(history_database(report->history)));
}

/* Where a run comes from and how long it took. */
static int begin_run(const struct report *report, const struct report_device *device, const struct format *format,
                     struct format_stream *stream, uint64_t *elapsed_ns, struct error *error)
{
    static const char sql[] =
        "SELECT database, max(CAST(round((julianday(ended) - julianday(started)) * 86400e3) AS INTEGER), 0) * 1000000 "
        "FROM source JOIN runs USING (run_id) WHERE run_id = ?1";
    const struct history_run *run = &device->run;
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(history_database(report->history), sql, -1, &row, NULL) != SQLITE_OK)
        return fail(report, error);
    sqlite3_bind_int64(row, 1, run->id);
    bool there = sqlite3_step(row) == SQLITE_ROW;
    if (there) {
        *elapsed_ns = (uint64_t)sqlite3_column_int64(row, 1);
        format->begin_run(stream, &(struct format_run){.version = run->version,
                                                       .device = run->device,
                                                       .device_name = run->device_name,
                                                       .device_driver = run->device_driver,
                                                       .feature_level = run->feature_level,
                                                       .database = row_text(row, 0),
                                                       .seed = run->seed,
                                                       .planned = (uint64_t)run->planned});
    }
    sqlite3_finalize(row);
    return there ? 0 : fail(report, error);
}

static int print_run(const struct report *report, const struct report_device *device, const struct format *format,
                     struct format_stream *stream, struct error *error)
{
    struct format_total total = {0};
    sqlite3_stmt *row;
    int code, result = begin_run(report, device, format, stream, &total.elapsed_ns, error);
    if (result)
        return result;
    if (sqlite3_prepare_v2(history_database(report->history),
                           "SELECT " RECORD_ROW " FROM results WHERE run_id = ?1 ORDER BY case_name", -1, &row,
                           NULL) != SQLITE_OK)
        return fail(report, error);
    sqlite3_bind_int64(row, 1, device->run.id);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct record record;
        record_row(row, &record);
        record.device = device->run.device;
        record_add(&total.records, &record);
        format->result(stream, &record);
    }
    if (code != SQLITE_DONE)
        result = fail(report, error);
    sqlite3_finalize(row);
    format->end_run(stream, &total);
    return result;
}

static int write_runs(const struct report *report, FILE *out, struct error *error)
{
    const struct format *format;
    struct format_stream stream = {.out = out, .verbose = true};
    int result = format_find("junit", &format, error);
    if (result)
        return result;
    format->begin(&stream);
    for (size_t i = 0; i < report->device_count && result == 0; i++)
        result = print_run(report, &report->devices[i], format, &stream, error);
    format->end(&stream);
    return result == 0 && stream.failed ? error_set(error, EXIT_HARNESS, "out of memory") : result;
}

const struct report_form report_junit = {.name = "junit", .write = write_runs};
