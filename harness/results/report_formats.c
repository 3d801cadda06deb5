/* The current runs in formats of `assay run`: their records are read back and printed by format_NAME.c. */
#include "harness/results/guard.h"
#include "harness/results/format.h"
#include "harness/results/record_row.h"
#include "harness/results/report.h"
#include "harness/results/report_causes.h"

#include <sqlite3.h>

static int report_formats_fail(const struct report *report, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the results cannot be read: %s",
                     guard_message(history_database(report->history)));
}

/* Prints the head of a run and reads how long the run took. */
static int report_formats_begin_run(const struct report *report, const struct report_device *device,
                                    const struct format *format, struct format_stream *stream, uint64_t *elapsed_ns,
                                    struct error *error)
{
    static const char sql[] = "SELECT database, 1000000 * max(CAST(round((julianday(ended) - julianday(started)) * "
                              "86400e3) AS INTEGER), 0) AS elapsed_ns "
                              "FROM source JOIN runs USING (run_id) WHERE run_id = ?1";
    const struct history_run *run = &device->run;
    struct row row;
    if (row_prepare(&row, history_database(report->history), sql) != SQLITE_OK)
        return report_formats_fail(report, error);
    sqlite3_bind_int64(row.statement, 1, run->id);
    bool found = sqlite3_step(row.statement) == SQLITE_ROW;
    if (found) {
        *elapsed_ns = row_count(&row, "elapsed_ns");
        format->begin_run(stream, &(struct format_run){.version = run->version,
                                                       .device = run->device,
                                                       .device_name = run->device_name,
                                                       .device_driver = run->device_driver,
                                                       .feature_level = run->feature_level,
                                                       .database = row_text(&row, "database"),
                                                       .seed = run->seed,
                                                       .planned = (uint64_t)device->summary.cases,
                                                       .purpose = run->purpose,
                                                       .partial = device->summary.ran < device->summary.cases,
                                                       .device_hash = run->device_hash,
                                                       .device_build = run->device_build,
                                                       .label = run->label,
                                                       .revision = run->revision,
                                                       .branch = run->branch});
    }
    row_close(&row);
    return found ? 0 : report_formats_fail(report, error);
}

static int report_formats_print_run(const struct report *report, const struct report_device *device,
                                    const struct format *format, struct format_stream *stream, struct error *error)
{
    struct conformance conformance = {0};
    struct report_causes causes = {0};
    struct format_total total = {.declared = level_find(device->run.feature_level)};
    struct row row;
    int code, result = report_formats_begin_run(report, device, format, stream, &total.elapsed_ns, error);
    if (result)
        return result;
    if (row_prepare(&row, history_database(report->history),
                    "SELECT " RECORD_ROW " FROM current_results WHERE as_of = ?1 ORDER BY case_name") != SQLITE_OK)
        return report_formats_fail(report, error);
    sqlite3_bind_int64(row.statement, 1, device->run.id);
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        struct record record;
        record_row(&row, &record);
        record.device = device->run.device;
        record_add(&total.records, &record);
        conformance_add(&conformance, &record);
        format->result(stream, &record);
    }
    if (code != SQLITE_DONE)
        result = report_formats_fail(report, error);
    row_close(&row);
    if (device->summary.whole_run) /* otherwise most operators may not have been tried as a whole */
        total.conformance = &conformance;
    if (result == 0)
        result = report_causes_read(report, device->run.id, &causes, error);
    total.groups = causes.groups;
    total.group_count = causes.count;
    total.causes = &causes.causes;
    format->end_run(stream, &total);
    report_causes_free(&causes);
    stream->failed |= conformance.failed;
    conformance_free(&conformance);
    return result;
}

static int write_runs(const struct report *report, const char *name, FILE *out, struct error *error)
{
    const struct format *format;
    struct format_stream stream = {.out = out, .verbose = true};
    int result = format_find(name, &format, error);
    if (result)
        return result;
    format->begin(&stream);
    for (size_t i = 0; i < report->device_count && result == 0; i++)
        result = report_formats_print_run(report, &report->devices[i], format, &stream, error);
    format->end(&stream);
    return result == 0 && stream.failed ? error_set(error, EXIT_HARNESS, "out of memory") : result;
}

static int write_junit(const struct report *report, FILE *out, struct error *error)
{
    return write_runs(report, "junit", out, error);
}

static int write_github(const struct report *report, FILE *out, struct error *error)
{
    return write_runs(report, "github", out, error);
}

static int write_codequality(const struct report *report, FILE *out, struct error *error)
{
    return write_runs(report, "codequality", out, error);
}

const struct report_form report_junit = {.name = "junit", .write = write_junit},
                         report_github = {.name = "github", .write = write_github},
                         report_codequality = {.name = "codequality", .write = write_codequality};
