#include "harness/results/reporters.h"

#include "harness/base/stream.h"
#include "harness/base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int reporters_cannot_write(const struct reporters *reporters, struct reporter *reporter, struct error *error)
{
    if (reporter->stream.failed)
        reporter->file.number = ENOMEM;
    return outfile_error(&reporter->file, reporters->stored ? "; the database has the results so far" : "", error);
}

/* Returns true if the last output failed. errno must have been 0 before it. */
static bool reporters_failed(struct reporter *reporter)
{
    return outfile_failed(&reporter->file) || reporter->stream.failed;
}

/* ---- opening */

const char *const color_words[] = {"always", "never", "auto", NULL};

static bool wants_color(const char *when, FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return !(no_color && *no_color) && !(terminal && strcmp(terminal, "dumb") == 0) && isatty(stream_file(out));
}

static int open_one(struct reporters *reporters, const char *text, struct error *error)
{
    struct reporter *reporter = &reporters->items[reporters->count++];
    const char *file = strchr(text, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", file ? (int)(file - text) : (int)strlen(text), text);
    int result = format_find(name, &reporter->format, error);
    if (result)
        return result;
    if (file && !file[1])
        return error_set(error, EXIT_USAGE, "--format %s: expected a file after the =", text);
    if (file && (result = outfile_open(&reporter->file, file + 1, error)))
        return result;
    if (!file)
        outfile_open(&reporter->file, NULL, error);
    reporter->stream.out = reporter->file.out;
    for (size_t i = 0; i + 1 < reporters->count; i++) {
        const char *other = reporters->items[i].file.path;
        if (!other && !file)
            return error_set(error, EXIT_USAGE,
                             "--format: only one can go to standard output; the others need a file, as in %s=FILE",
                             name);
        if (other && file && !strcmp(other, reporter->file.path))
            return error_set(error, EXIT_USAGE, "--format: '%s' is named twice", file + 1);
    }
    return 0;
}

/* Opens the file of the summary, which may have the summaries of other programs. */
static int open_summary(struct reporter *reporter, struct error *error)
{
    const char *path = reporter->format->summary ? getenv(reporter->format->summary) : NULL;
    if (!path || !*path)
        return 0;
    reporter->summary = path;
    reporter->stream.summary = fopen(path, "ae");
    if (reporter->stream.summary)
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: %s; $%s names the file of the job's summary", path, strerror(errno),
                     reporter->format->summary);
}

/* Returns 0 or EXIT_HARNESS: the summary cannot be written. */
static int close_summary(struct reporter *reporter, struct error *error)
{
    if (!reporter->stream.summary)
        return 0;
    bool failed = ferror(reporter->stream.summary);
    if (fclose(reporter->stream.summary) == 0 && !failed)
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: the job's summary cannot be written: %s", reporter->summary,
                     strerror(errno));
}

void reporters_add_files(const struct word_list *formats, struct fileuse *files)
{
    for (size_t i = 0; i < formats->count; i++) {
        const char *file = strchr(formats->items[i], '=');
        fileuse_add(files, FILEUSE_OUTPUT, "--format", file ? file + 1 : NULL);
    }
}

int reporters_open(struct reporters *reporters, const struct word_list *formats, const char *color, bool verbose,
                   bool live, uint64_t planned, struct error *error)
{
    *reporters = (struct reporters){0};
    int result =
        color ? words_check(color_words, sizeof color_words / sizeof *color_words - 1, "--color", color, error) : 0;
    if (result == 0 && formats->count > REPORTERS_MAX)
        result = error_set(error, EXIT_USAGE, "--format: at most %d", REPORTERS_MAX);
    for (size_t i = 0; i < formats->count && result == 0; i++)
        result = open_one(reporters, formats->items[i], error);
    if (result == 0 && formats->count == 0)
        result = open_one(reporters, "human", error);
    for (size_t i = 0; i < reporters->count && result == 0; i++) {
        struct reporter *reporter = &reporters->items[i];
        reporter->stream.color = wants_color(color, reporter->stream.out);
        reporter->stream.verbose = verbose;
        reporter->stream.planned = planned;
        reporter->stream.progress = live && !reporter->file.path ? stderr : NULL;
        result = open_summary(reporter, error);
        if (result)
            break;
        errno = 0;
        reporter->format->begin(&reporter->stream);
        reporter->begun = true;
        fflush(reporter->stream.out);
        result = reporters_failed(reporter) ? reporters_cannot_write(reporters, reporter, error) : 0;
    }
    return result;
}

/* ---- results */

void reporters_begin_run(struct reporters *reporters, const struct format_run *run)
{
    for (size_t i = 0; i < reporters->count; i++) {
        errno = 0;
        reporters->items[i].before = reporters->items[i].stream.sequence;
        reporters->items[i].recalled_before = reporters->items[i].stream.recalled;
        reporters->items[i].planned = run->planned;
        reporters->items[i].format->begin_run(&reporters->items[i].stream, run);
        reporters_failed(&reporters->items[i]); /* reported with the first result */
    }
}

int reporters_result(struct reporters *reporters, const struct record *record, struct error *error)
{
    for (size_t i = 0; i < reporters->count; i++) {
        struct reporter *reporter = &reporters->items[i];
        errno = 0;
        reporter->format->result(&reporter->stream, record);
        if (reporter->stream.sequence == reporter->before + 1) /* a run shows early that it has begun */
            fflush(reporter->stream.out);
        if (reporters_failed(reporter))
            return reporters_cannot_write(reporters, reporter, error);
    }
    return 0;
}

int reporters_flush(struct reporters *reporters, struct error *error)
{
    for (size_t i = 0; i < reporters->count; i++) {
        struct reporter *reporter = &reporters->items[i];
        errno = 0;
        fflush(reporter->stream.out);
        if (reporters_failed(reporter))
            return reporters_cannot_write(reporters, reporter, error);
    }
    return 0;
}

bool reporters_show_progress(const struct reporters *reporters)
{
    bool shown = false;
    for (size_t i = 0; i < reporters->count; i++)
        shown |= reporters->items[i].stream.progress != NULL;
    return shown;
}

/* Converts a fraction of the current run to one of all runs, `before` of whose results came before it. */
static double part_of_all(const struct reporter *reporter, uint64_t before, double part)
{
    return ((double)before + part * (double)reporter->planned) / (double)reporter->stream.planned;
}

void reporters_expect(struct reporters *reporters, double part, double given)
{
    for (size_t i = 0; i < reporters->count; i++) {
        struct reporter *reporter = &reporters->items[i];
        reporter->stream.expected = part > 0 ? part_of_all(reporter, reporter->before, part) : 0;
        reporter->stream.given = part > 0 ? part_of_all(reporter, reporter->recalled_before, given) : 0;
    }
}

void reporters_end_run(struct reporters *reporters, const struct format_total *total)
{
    for (size_t i = 0; i < reporters->count; i++) {
        errno = 0;
        reporters->items[i].format->end_run(&reporters->items[i].stream, total);
        reporters_failed(&reporters->items[i]); /* reported by reporters_close() */
    }
}

bool reporters_conclude(struct reporters *reporters, const char *text)
{
    bool printed = false;
    for (size_t i = 0; i < reporters->count; i++) {
        reporters->items[i].stream.conclusion = text;
        printed |= reporters->items[i].format->concludes;
    }
    return printed;
}

int reporters_close(struct reporters *reporters, const char *aborted, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < reporters->count; i++) {
        struct reporter *reporter = &reporters->items[i];
        reporter->stream.aborted = aborted;
        errno = 0;
        if (reporter->begun) {
            reporter->format->end(&reporter->stream);
            reporters_failed(reporter);
        }
        bool good = outfile_close(&reporter->file, !aborted && reporter->begun && !reporter->stream.failed);
        if (result == 0 && (!good || reporter->stream.failed))
            result = reporters_cannot_write(reporters, reporter, error);
        outfile_free(&reporter->file);
        int closed = close_summary(reporter, result ? NULL : error);
        result = result ? result : closed;
    }
    *reporters = (struct reporters){0};
    return result;
}
