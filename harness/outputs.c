#include "harness/outputs.h"

#include "harness/choices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cannot_write(const struct output *output, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: cannot be written: %s; results so far are kept",
                     outfile_name(&output->file), strerror(output->stream.failed ? ENOMEM : output->file.number));
}

/* errno was 0 before what was written last. */
static bool failed(struct output *output)
{
    return outfile_failed(&output->file) || output->stream.failed;
}

/* ---- opening */

static bool wants_color(const char *when, FILE *out)
{
    const char *no_color = getenv("NO_COLOR");
    if (when && strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0;
    return !(no_color && *no_color) && isatty(fileno(out));
}

static int open_one(struct outputs *outputs, const char *text, struct error *error)
{
    struct output *output = &outputs->items[outputs->count++];
    const char *file = strchr(text, '=');
    char name[64];
    snprintf(name, sizeof name, "%.*s", file ? (int)(file - text) : (int)strlen(text), text);
    int result = format_find(name, &output->format, error);
    if (result)
        return result;
    if (file && !file[1])
        return error_set(error, EXIT_USAGE, "--format %s: expected a file after the =", text);
    if (file && (result = outfile_open(&output->file, file + 1, error)))
        return result;
    if (!file)
        outfile_open(&output->file, NULL, error);
    output->stream.out = output->file.out;
    for (size_t i = 0; i + 1 < outputs->count; i++) {
        const char *other = outputs->items[i].file.path;
        if (!other && !file)
            return error_set(error, EXIT_USAGE,
                             "--format: only one can go to standard output; the others need a file, as in %s=FILE",
                             name);
        if (other && file && !strcmp(other, output->file.path))
            return error_set(error, EXIT_USAGE, "--format: '%s' is named twice", file + 1);
    }
    return 0;
}

int outputs_open(struct outputs *outputs, const struct option_list *formats, const char *color, bool verbose,
                 uint64_t planned, struct error *error)
{
    *outputs = (struct outputs){0};
    int result = color ? choices_check("WHEN", "--color", color, error) : 0;
    if (result == 0 && formats->count > OUTPUTS_MOST)
        result = error_set(error, EXIT_USAGE, "--format: at most %d", OUTPUTS_MOST);
    for (size_t i = 0; i < formats->count && result == 0; i++)
        result = open_one(outputs, formats->items[i], error);
    if (result == 0 && formats->count == 0)
        result = open_one(outputs, "human", error);
    for (size_t i = 0; i < outputs->count && result == 0; i++) {
        struct output *output = &outputs->items[i];
        output->stream.color = wants_color(color, output->stream.out);
        output->stream.verbose = verbose;
        output->stream.planned = planned;
        output->stream.progress = !output->file.path && isatty(STDERR_FILENO) ? stderr : NULL;
        errno = 0;
        output->format->begin(&output->stream);
        output->begun = true;
        fflush(output->stream.out);
        result = failed(output) ? cannot_write(output, error) : 0;
    }
    return result;
}

/* ---- results */

void outputs_begin_run(struct outputs *outputs, const struct format_run *run)
{
    for (size_t i = 0; i < outputs->count; i++) {
        errno = 0;
        outputs->items[i].before = outputs->items[i].stream.sequence;
        outputs->items[i].planned = run->planned;
        outputs->items[i].format->begin_run(&outputs->items[i].stream, run);
        failed(&outputs->items[i]); /* said with the first result */
    }
}

int outputs_result(struct outputs *outputs, const struct record *record, struct error *error)
{
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        errno = 0;
        output->format->result(&output->stream, record);
        if (failed(output))
            return cannot_write(output, error);
    }
    return 0;
}

bool outputs_show_progress(const struct outputs *outputs)
{
    bool shown = false;
    for (size_t i = 0; i < outputs->count; i++)
        shown |= outputs->items[i].stream.progress != NULL;
    return shown;
}

void outputs_expect(struct outputs *outputs, double part)
{
    for (size_t i = 0; i < outputs->count; i++) {
        const struct output *output = &outputs->items[i];
        outputs->items[i].stream.expected =
            part > 0 ? ((double)output->before + part * (double)output->planned) / (double)output->stream.planned : 0;
    }
}

void outputs_end_run(struct outputs *outputs, const struct format_total *total)
{
    for (size_t i = 0; i < outputs->count; i++) {
        errno = 0;
        outputs->items[i].format->end_run(&outputs->items[i].stream, total);
        failed(&outputs->items[i]); /* said when it is closed */
    }
}

int outputs_close(struct outputs *outputs, const char *aborted, struct error *error)
{
    int result = 0;
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        output->stream.aborted = aborted;
        errno = 0;
        if (output->begun) {
            output->format->end(&output->stream);
            failed(output);
        }
        bool good = outfile_close(&output->file, !aborted && output->begun && !output->stream.failed);
        if (result == 0 && (!good || output->stream.failed))
            result = cannot_write(output, error);
        outfile_free(&output->file);
    }
    *outputs = (struct outputs){0};
    return result;
}
