/* The format for people: failures as they occur, a summary line for each device, and a table of all results. */
#include "harness/results/format.h"
#include "harness/base/terminal.h"
#include "harness/base/text.h"
#include "harness/run/causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROGRESS_MS = 100, PROGRESS_MOST = 200 };

#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define RESET "\x1b[0m"

/* A line of the table. */
struct row {
    char *operator_name;
    size_t device;
    uint64_t counts[STATUS_COUNT];
};

struct format_human {
    char device[128]; /* escaped for printing */
    unsigned runs;
    bool several;           /* devices on this stream */
    bool shared_validation; /* of the current device */
    uint64_t failed;
    uint64_t shown_here, hidden_here; /* failures of the current device that were printed, and that were not */
    int64_t started;                  /* milliseconds */
    int64_t shown;                    /* the time at which the progress line was printed, milliseconds */
    int shown_width;                  /* the width of the progress line; 0: none is visible */
    struct row *rows;
    size_t row_count;
    struct format_total *totals; /* the totals by device; zero until the device is done */
    char **devices;              /* their names */
    size_t device_count;
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void print_colored(const struct format_stream *stream, const char *color, const char *text)
{
    bool colored = stream->color && *color;
    fprintf(stream->out, "%s%s%s", colored ? color : "", text, colored ? RESET : "");
}

/* ---- the progress line */

static void clear_progress(struct format_stream *stream)
{
    struct format_human *human = stream->state;
    if (!stream->progress || !human->shown_width)
        return;
    fprintf(stream->progress, "\r%*s\r", human->shown_width, "");
    fflush(stream->progress);
    human->shown_width = 0;
}

static void format_human_show_progress(struct format_stream *stream)
{
    struct format_human *human = stream->state;
    if (!stream->progress)
        return;
    int64_t now = now_ms();
    if (now - human->shown < PROGRESS_MS)
        return;
    char line[320];
    double elapsed = (double)(now - human->started) / 1000, rate = 0;
    if (elapsed > 0)
        rate = (double)(stream->sequence - stream->recalled) / elapsed;
    int used =
        snprintf(line, sizeof line, "%" PRIu64 "/%" PRIu64 "  %.0f a second", stream->sequence, stream->planned, rate);
    double part = stream->expected, given = stream->given;
    if (part <= 0 && stream->planned > 0) {
        part = (double)stream->sequence / (double)stream->planned;
        given = (double)stream->recalled / (double)stream->planned;
    }
    double seconds = format_left(elapsed, part, given);
    if (seconds >= 0) {
        uint64_t left = (uint64_t)(seconds + 0.5);
        used += snprintf(line + used, sizeof line - (size_t)used, "  %" PRIu64 ":%02u:%02u left", left / 3600,
                         (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    }
    if (human->failed)
        used += snprintf(line + used, sizeof line - (size_t)used, "  %" PRIu64 " failed", human->failed);
    if (human->several)
        used += snprintf(line + used, sizeof line - (size_t)used, "  %s", human->device);
    int most = terminal_columns(stream->progress) - 1; /* a full line would wrap, and not be overwritten */
    most = most < PROGRESS_MOST ? most : PROGRESS_MOST;
    used = used < most ? used : most;
    while (used && ((unsigned char)line[used] & 0xc0) == 0x80) /* do not cut a UTF-8 character */
        used--;
    int blank = human->shown_width > used ? human->shown_width - used : 0;
    fprintf(stream->progress, "\r%.*s%*s", used, line, blank, "");
    fflush(stream->progress);
    human->shown = now;
    human->shown_width = used;
}

/* ---- results */

static void format_human_begin(struct format_stream *stream)
{
    struct format_human *human = calloc(1, sizeof *human);
    if (!human)
        abort();
    human->started = now_ms();
    stream->state = human;
}

/* Makes room in the table for another device. */
static bool add_device(struct format_human *human)
{
    size_t count = human->device_count;
    struct format_total *totals = realloc(human->totals, (count + 1) * sizeof *totals);
    human->totals = totals ? totals : human->totals;
    char **devices = realloc(human->devices, (count + 1) * sizeof *devices);
    human->devices = devices ? devices : human->devices;
    if (!totals || !devices || !(devices[count] = strdup(human->device)))
        return false;
    totals[count] = (struct format_total){0};
    human->device_count++;
    return true;
}

static void format_human_print_about(FILE *out, const char *before, const char *text)
{
    if (!text || !*text)
        return;
    fputs(before, out);
    text_print(out, text);
}

static void format_human_begin_run(struct format_stream *stream, const struct format_run *run)
{
    struct format_human *human = stream->state;
    human->several = human->runs++ > 0 || run->planned < stream->planned;
    human->shared_validation = run->shared_validation;
    human->shown_here = human->hidden_here = 0;
    text_visible(human->device, sizeof human->device, run->device);
    stream->failed |= !add_device(human);
    clear_progress(stream);
    fputs(human->device, stream->out);
    fputs(": ", stream->out);
    text_print(stream->out, *run->device_name ? run->device_name : "not opened");
    if (*run->device_driver) {
        fputs(", ", stream->out);
        text_print(stream->out, run->device_driver);
    }
    fputs(", feature level ", stream->out);
    text_print(stream->out, run->feature_level);
    fprintf(stream->out, "; %" PRIu64 " cases, seed 0x%" PRIx64, run->planned, run->seed);
    if (run->shuffle)
        fprintf(stream->out, ", shuffled by 0x%" PRIx64, *run->shuffle);
    format_human_print_about(stream->out, ", label ", run->label);
    format_human_print_about(stream->out, ", revision ", run->revision);
    fputs(run->half ? ", with --half" : "", stream->out);
    fputs(run->partial ? ", partial\n" : "\n", stream->out);
    if (run->expectations) {
        fprintf(stream->out, "%s: expectations from ", human->device);
        text_print(stream->out, run->expectations);
        putc('\n', stream->out);
    }
    fflush(stream->out);
}

static void format_human_print_line(FILE *out, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "  %-9s  ", key);
    text_print(out, text);
    putc('\n', out);
}

/* Prints the id of a rule, and its sentence. */
static void print_broken(FILE *out, const struct record *record)
{
    if (!*record_text(record->broken))
        return;
    fputs("  broken     ", out);
    text_print(out, record->broken);
    format_human_print_about(out, ": ", record->broken_text);
    putc('\n', out);
}

static void print_wrong(FILE *out, const struct wrong *wrong)
{
    if (!*wrong->tensor && !wrong->count)
        return;
    fputs("  wrong      ", out);
    text_print(out, wrong->tensor);
    if (*wrong->coordinates) {
        putc(' ', out);
        text_print(out, wrong->coordinates);
    }
    fputs(": got ", out);
    text_print(out, wrong->got);
    fputs(", expected ", out);
    text_print(out, wrong->expected);
    if (wrong->count > 1)
        fprintf(out, "; the first of %" PRIu64, wrong->count);
    putc('\n', out);
    format_human_print_line(out, "inputs", wrong->inputs);
}

static void format_human_print_case(struct format_stream *stream, const struct record *record)
{
    const struct format_human *human = stream->state;
    const char *color = record->verdict.status == STATUS_PASS ? GREEN : YELLOW;
    if (record_is_failure(record))
        color = RED;
    print_colored(stream, color, status_name(record->verdict.status));
    putc(' ', stream->out);
    text_print(stream->out, record->case_name);
    if (human->several) {
        fputs(" on ", stream->out);
        text_print(stream->out, record->device);
    }
    fputs(record->flaky ? ", flaky" : "", stream->out);
    if (record->standing != STANDING_NONE)
        fprintf(stream->out, ", %s", standing_name(record->standing));
    putc('\n', stream->out);
}

static void format_human_print_details(FILE *out, const struct record *record)
{
    char why[512];
    if (*record->rule) {
        fputs("  rule       ", out);
        text_print(out, record->rule);
        if (*record->strength) {
            fputs(", ", out);
            text_print(out, record->strength);
        }
        if (*record->pages) {
            fputs(" (", out);
            text_print(out, record->pages);
            putc(')', out);
        }
        format_human_print_about(out, ": ", record->rule_text);
        putc('\n', out);
    }
    print_broken(out, record);
    format_human_print_line(out, "expected", record->expected);
    format_human_print_line(out, "outcome", record->outcome);
    format_human_print_line(out, "message", record->message);
    print_wrong(out, &record->symptoms.wrong);
    format_human_print_line(out, "fits", record_why(record, why, sizeof why));
    format_human_print_line(out, "reason", record->reason ? record->reason : "");
    format_human_print_line(out, "printed", record_text(record->printed));
    format_human_print_line(out, "reproduce", record->reproduce);
}

/* Adds the result to its line of the table. False: out of memory. */
static bool format_human_count_result(struct format_human *human, const struct record *record)
{
    size_t device = human->device_count - 1, i = human->row_count;
    while (i > 0 && human->rows[i - 1].device == device &&
           strcmp(human->rows[i - 1].operator_name, record->operator_name) != 0)
        i--;
    if (i == 0 || human->rows[i - 1].device != device) {
        struct row *rows = realloc(human->rows, (human->row_count + 1) * sizeof *rows);
        char *name = strdup(record->operator_name);
        human->rows = rows ? rows : human->rows;
        if (!rows || !name) {
            free(name);
            return false;
        }
        rows[human->row_count] = (struct row){.operator_name = name, .device = device};
        i = ++human->row_count;
    }
    human->rows[i - 1].counts[record->verdict.status]++;
    return true;
}

static void format_human_result(struct format_stream *stream, const struct record *record)
{
    struct format_human *human = stream->state;
    bool failure = record_is_failure(record);
    stream->sequence++;
    stream->recalled += record->recalled;
    human->failed += failure;
    stream->failed |= !human->device_count || !format_human_count_result(human, record);
    bool hidden = failure && !stream->verbose && human->shown_here >= FORMAT_FAILURES;
    human->shown_here += failure && !hidden;
    human->hidden_here += hidden;
    if ((failure && !hidden) || stream->verbose) {
        clear_progress(stream);
        format_human_print_case(stream, record);
        if (record->verdict.status != STATUS_PASS || failure)
            format_human_print_details(stream->out, record);
        if (failure)
            fflush(stream->out);
    }
    if (*record->dump) {
        clear_progress(stream);
        fputs("outputs:\n", stream->out);
        fputs(record->dump, stream->out);
    }
    format_human_show_progress(stream);
}

static void format_human_print_part(struct format_stream *stream, const char *color, const char *title, uint64_t count)
{
    char text[64];
    if (count == 0)
        return;
    snprintf(text, sizeof text, "%s%" PRIu64, title, count);
    fputs("; ", stream->out);
    print_colored(stream, color, text);
}

static void format_human_end_run(struct format_stream *stream, const struct format_total *total)
{
    struct format_human *human = stream->state;
    const struct record_total *records = &total->records;
    uint64_t cases = 0, failed = 0;
    for (int status = 0; status < STATUS_COUNT; status++) {
        cases += records->counts[status];
        failed += status_is_failure((enum status)status) ? records->counts[status] : 0;
    }
    if (human->device_count)
        human->totals[human->device_count - 1] = *total;
    clear_progress(stream);
    if (human->hidden_here)
        fprintf(stream->out, "%" PRIu64 " more failure%s; -v prints every one\n", human->hidden_here,
                human->hidden_here == 1 ? "" : "s");
    fputs(human->device, stream->out);
    fprintf(stream->out, ": %" PRIu64 " cases in %.1f s", cases, (double)total->elapsed_ns / 1e9);
    const char *separator = ": ";
    for (int status = 0; status < STATUS_COUNT; status++) {
        if (!records->counts[status])
            continue;
        char part[64];
        snprintf(part, sizeof part, "%" PRIu64 " %s", records->counts[status], status_name((enum status)status));
        fputs(separator, stream->out);
        const char *color = failed ? "" : GREEN;
        if (status_is_failure((enum status)status))
            color = RED;
        print_colored(stream, color, part);
        if (status == STATUS_PASS && human->shared_validation)
            fprintf(stream->out, " (%" PRIu64 " compared, %" PRIu64 " by assay's validation)", records->compared,
                    records->counts[status] - records->compared);
        separator = ", ";
    }
    format_human_print_part(stream, "", "as expected: ", records->expected);
    format_human_print_part(stream, RED, "unexpected: ", records->unexpected);
    format_human_print_part(stream, RED, "flaky: ", records->flaky);
    putc('\n', stream->out);
    if (stream->planned > 1) /* the lines above tell all about a single case */
        causes_print(stream->out, "", total->groups, total->group_count);
    if (total->conformance)
        conformance_print(total->conformance, total->declared, "", stream->out);
    fflush(stream->out);
}

/* ---- the table */

/* Writes the statuses of some cases, such as "944 pass, 111 fail". Returns the length. */
static int print_cell(char *text, size_t size, const uint64_t counts[STATUS_COUNT])
{
    int length = snprintf(text, size, "%s", "");
    for (int status = 0; status < STATUS_COUNT; status++)
        if (counts[status] && (size_t)length < size)
            length += snprintf(text + length, size - (size_t)length, "%s%" PRIu64 " %s", length ? ", " : "",
                               counts[status], status_name((enum status)status));
    return length;
}

/* Returns the counts of an operator on a device. */
static const uint64_t *format_human_counts_of(const struct format_human *human, const char *name, size_t device)
{
    static const uint64_t none[STATUS_COUNT];
    for (size_t i = 0; i < human->row_count; i++)
        if (human->rows[i].device == device && strcmp(human->rows[i].operator_name, name) == 0)
            return human->rows[i].counts;
    return none;
}

/* Returns true if the table needs a line for an operator: devices differ, or a case neither passes nor is skipped. */
static bool is_notable(const struct format_human *human, const char *name)
{
    const uint64_t *first = format_human_counts_of(human, name, 0);
    for (size_t d = 0; d < human->device_count; d++) {
        const uint64_t *counts = format_human_counts_of(human, name, d);
        for (int status = 0; status < STATUS_COUNT; status++)
            if (counts[status] != first[status] || (counts[status] && status != STATUS_PASS && status != STATUS_SKIP))
                return true;
    }
    return false;
}

enum { CELL = 200, TABLE_NAME = 23 /* of a device: text_visible() cuts between characters */ };

/* The widths of the table's columns: operators, then devices. */
struct columns {
    int first, *devices;
};

static void widen(int *width, int length)
{
    if (length > *width)
        *width = length;
}

static void measure_row(const struct format_human *human, const char *name, struct columns *columns)
{
    char text[CELL];
    widen(&columns->first, (int)strlen(name));
    for (size_t d = 0; d < human->device_count; d++)
        widen(&columns->devices[d], print_cell(text, sizeof text, format_human_counts_of(human, name, d)));
}

static void measure_devices(const struct format_human *human, struct columns *columns)
{
    char text[CELL], name[TABLE_NAME];
    columns->first = (int)strlen("operator");
    for (size_t d = 0; d < human->device_count; d++) {
        text_visible(name, sizeof name, human->devices[d]);
        widen(&columns->devices[d], (int)strlen(name));
        widen(&columns->devices[d], print_cell(text, sizeof text, human->totals[d].records.counts));
    }
}

static void print_operator(const struct format_stream *stream, const char *name, const struct columns *columns)
{
    const struct format_human *human = stream->state;
    char text[CELL];
    fprintf(stream->out, "%-*s", columns->first, name);
    for (size_t d = 0; d < human->device_count; d++) {
        print_cell(text, sizeof text, format_human_counts_of(human, name, d));
        fprintf(stream->out, "  %-*s", d + 1 < human->device_count ? columns->devices[d] : 0, text);
    }
    putc('\n', stream->out);
}

/* Prints the header, or the last line with all cases. */
static void print_devices(const struct format_stream *stream, bool header, const struct columns *columns)
{
    const struct format_human *human = stream->state;
    char text[CELL];
    fprintf(stream->out, "%-*s", columns->first, header ? "operator" : "all");
    for (size_t d = 0; d < human->device_count; d++) {
        if (header)
            text_visible(text, TABLE_NAME, human->devices[d]);
        else
            print_cell(text, sizeof text, human->totals[d].records.counts);
        fprintf(stream->out, "  %-*s", d + 1 < human->device_count ? columns->devices[d] : 0, text);
    }
    putc('\n', stream->out);
}

/* Prints a line for each operator, with a column for each device. Operators whose cases all pass or are skipped, alike
 * on all devices, have a line only if verbose. One device without such lines has no table: the line above says all. */
static void format_human_print_table(const struct format_stream *stream)
{
    const struct format_human *human = stream->state;
    const char **names = calloc(human->row_count + 1, sizeof *names);
    struct columns columns = {.devices = calloc(human->device_count, sizeof *columns.devices)};
    size_t count = 0, left_out = 0;
    for (size_t i = 0; names && columns.devices && i < human->row_count; i++) {
        const char *name = human->rows[i].operator_name;
        size_t first = 0;
        while (strcmp(human->rows[first].operator_name, name) != 0)
            first++;
        if (first < i)
            continue;
        if (stream->verbose || is_notable(human, name))
            names[count++] = name;
        else
            left_out++;
    }
    if (names && columns.devices && (count > 0 || human->device_count > 1)) {
        measure_devices(human, &columns);
        for (size_t i = 0; i < count; i++)
            measure_row(human, names[i], &columns);
        putc('\n', stream->out);
        print_devices(stream, true, &columns);
        for (size_t i = 0; i < count; i++)
            print_operator(stream, names[i], &columns);
        print_devices(stream, false, &columns);
        if (left_out)
            fprintf(stream->out, "%zu %soperator%s without a failure or a difference; -v prints a line for each\n",
                    left_out, count ? "more " : "", left_out == 1 ? "" : "s");
    }
    free(columns.devices);
    free(names);
}

static void format_human_end(struct format_stream *stream)
{
    struct format_human *human = stream->state;
    clear_progress(stream);
    if (!stream->aborted && stream->planned > 1 && human->device_count)
        format_human_print_table(stream);
    if (!stream->aborted && stream->conclusion)
        fprintf(stream->out, "\n%s", stream->conclusion);
    for (size_t i = 0; i < human->row_count; i++)
        free(human->rows[i].operator_name);
    for (size_t i = 0; i < human->device_count; i++)
        free(human->devices[i]);
    free(human->rows);
    free(human->totals);
    free(human->devices);
    free(human);
    stream->state = NULL;
}

const struct format format_human = {
    .name = "human",
    .help = "what failed, and a table",
    .concludes = true,
    .begin = format_human_begin,
    .begin_run = format_human_begin_run,
    .result = format_human_result,
    .end_run = format_human_end_run,
    .end = format_human_end,
};
