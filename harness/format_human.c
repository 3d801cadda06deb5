/* For a person: what failed, as it comes, and a line for each device. */
#include "harness/format.h"
#include "harness/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PROGRESS_MS = 100, PROGRESS_WIDTH = 79 };

#define RED "\x1b[31m"
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define RESET "\x1b[0m"

struct format_human {
    char device[128]; /* visible */
    unsigned runs;
    bool several; /* devices on this stream */
    uint64_t failed;
    int64_t started; /* milliseconds */
    int64_t shown;   /* when the progress line was */
    int shown_width; /* 0: there is none to see */
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

static void show_progress(struct format_stream *stream)
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
        rate = (double)stream->sequence / elapsed;
    int used =
        snprintf(line, sizeof line, "%" PRIu64 "/%" PRIu64 "  %.0f a second", stream->sequence, stream->planned, rate);
    if (rate > 0 && stream->planned >= stream->sequence) {
        uint64_t left = (uint64_t)((double)(stream->planned - stream->sequence) / rate + 0.5);
        used += snprintf(line + used, sizeof line - (size_t)used, "  %" PRIu64 ":%02u:%02u left", left / 3600,
                         (unsigned)(left / 60 % 60), (unsigned)(left % 60));
    }
    if (human->failed)
        used += snprintf(line + used, sizeof line - (size_t)used, "  %" PRIu64 " failed", human->failed);
    if (human->several)
        used += snprintf(line + used, sizeof line - (size_t)used, "  %s", human->device);
    used = used < PROGRESS_WIDTH ? used : PROGRESS_WIDTH;
    while (used && ((unsigned char)line[used] & 0xc0) == 0x80) /* not inside a character */
        used--;
    int blank = human->shown_width > used ? human->shown_width - used : 0;
    fprintf(stream->progress, "\r%.*s%*s", used, line, blank, "");
    fflush(stream->progress);
    human->shown = now;
    human->shown_width = used;
}

/* ---- results */

static void begin(struct format_stream *stream)
{
    struct format_human *human = calloc(1, sizeof *human);
    if (!human)
        abort();
    human->started = now_ms();
    stream->state = human;
}

static void begin_run(struct format_stream *stream, const struct format_run *run)
{
    struct format_human *human = stream->state;
    human->several = human->runs++ > 0 || run->planned < stream->planned;
    text_visible(human->device, sizeof human->device, run->device);
    clear_progress(stream);
    fputs(human->device, stream->out);
    fputs(": ", stream->out);
    text_print(stream->out, run->device_name);
    if (*run->device_driver) {
        fputs(", ", stream->out);
        text_print(stream->out, run->device_driver);
    }
    fputs(", feature level ", stream->out);
    text_print(stream->out, run->feature_level);
    fprintf(stream->out, "; %" PRIu64 " cases, seed 0x%" PRIx64, run->planned, run->seed);
    if (run->shuffle)
        fprintf(stream->out, ", shuffled by 0x%" PRIx64, *run->shuffle);
    putc('\n', stream->out);
    if (run->expectations) {
        fprintf(stream->out, "%s: expectations from ", human->device);
        text_print(stream->out, run->expectations);
        putc('\n', stream->out);
    }
    fflush(stream->out);
}

static void print_line(FILE *out, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "  %-9s  ", key);
    text_print(out, text);
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
}

static void print_case(struct format_stream *stream, const struct record *record)
{
    const struct format_human *human = stream->state;
    const char *color = record_is_failure(record) ? RED : record->status == STATUS_PASS ? GREEN : YELLOW;
    print_colored(stream, color, status_name(record->status));
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

static void print_details(FILE *out, const struct record *record)
{
    if (*record->rule) {
        fputs("  rule       ", out);
        text_print(out, record->rule);
        if (*record->pages) {
            fputs(" (", out);
            text_print(out, record->pages);
            putc(')', out);
        }
        putc('\n', out);
    }
    print_line(out, "expected", record->expected);
    print_line(out, "message", record->message);
    print_wrong(out, &record->wrong);
    print_line(out, "reason", record->reason ? record->reason : "");
    print_line(out, "reproduce", record->reproduce);
}

static void result(struct format_stream *stream, const struct record *record)
{
    struct format_human *human = stream->state;
    bool failure = record_is_failure(record);
    stream->sequence++;
    human->failed += failure;
    if (failure || stream->verbose) {
        clear_progress(stream);
        print_case(stream, record);
        if (record->status != STATUS_PASS || failure)
            print_details(stream->out, record);
        if (failure)
            fflush(stream->out);
    }
    show_progress(stream);
}

static void print_part(struct format_stream *stream, const char *color, const char *title, uint64_t count)
{
    char text[64];
    if (count == 0)
        return;
    snprintf(text, sizeof text, "%s%" PRIu64, title, count);
    fputs("; ", stream->out);
    print_colored(stream, color, text);
}

static void end_run(struct format_stream *stream, const struct format_total *total)
{
    struct format_human *human = stream->state;
    const struct record_total *records = &total->records;
    uint64_t cases = 0, failed = 0;
    for (int status = 0; status < STATUS_COUNT; status++) {
        cases += records->counts[status];
        failed += status_is_failure((enum status)status) ? records->counts[status] : 0;
    }
    clear_progress(stream);
    fputs(human->device, stream->out);
    fprintf(stream->out, ": %" PRIu64 " cases in %.1f s", cases, (double)total->elapsed_ns / 1e9);
    const char *separator = ": ";
    for (int status = 0; status < STATUS_COUNT; status++) {
        if (!records->counts[status])
            continue;
        char part[64];
        snprintf(part, sizeof part, "%" PRIu64 " %s", records->counts[status], status_name((enum status)status));
        fputs(separator, stream->out);
        print_colored(stream, status_is_failure((enum status)status) ? RED : failed ? "" : GREEN, part);
        separator = ", ";
    }
    print_part(stream, "", "as expected: ", records->expected);
    print_part(stream, RED, "unexpected: ", records->unexpected);
    print_part(stream, RED, "flaky: ", records->flaky);
    putc('\n', stream->out);
    fflush(stream->out);
}

static void end(struct format_stream *stream)
{
    clear_progress(stream);
    fflush(stream->out);
    free(stream->state);
    stream->state = NULL;
}

const struct format format_human = {
    .name = "human",
    .help = "what failed, and a line for each device",
    .begin = begin,
    .begin_run = begin_run,
    .result = result,
    .end_run = end_run,
    .end = end,
};
