#include "harness/outputs.h"

#include "harness/choices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files */

/* A file that is not a regular one, as a pipe or a terminal, is written in place; another beside its name, which it gets
 * when it is whole. */
static int open_file(struct output *output, const char *path, struct error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    bool replaces = exists && S_ISREG(status.st_mode);
    output->path = replaces ? realpath(path, NULL) : strdup(path); /* a link stays one */
    if (!output->path)
        return error_set(error, EXIT_HARNESS, "%s: %m", path);
    if (exists && !replaces) {
        output->stream.out = fopen(path, "we");
        return output->stream.out ? 0 : error_set(error, EXIT_HARNESS, "%s: %m", path);
    }
    mode_t mask = umask(0);
    umask(mask);
    if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0) {
        output->temporary = NULL;
        return error_set(error, EXIT_HARNESS, "out of memory");
    }
    int file = mkostemp(output->temporary, O_CLOEXEC);
    if (file < 0) {
        error_set(error, EXIT_HARNESS, "%s: %m", path);
        free(output->temporary);
        output->temporary = NULL;
        return EXIT_HARNESS;
    }
    if (fchmod(file, exists ? status.st_mode & 0777 : 0666 & ~mask) != 0 || !(output->stream.out = fdopen(file, "w"))) {
        error_set(error, EXIT_HARNESS, "%s: %m", path);
        close(file);
    }
    return output->stream.out ? 0 : EXIT_HARNESS;
}

static int cannot_write(const struct output *output, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: cannot be written: %s; results so far are kept",
                     output->path ? output->path : "standard output",
                     strerror(output->stream.failed ? ENOMEM : output->number));
}

/* Keeps the reason of the first failure: later calls may have another, or none. errno was 0 before the call. */
static bool failed(struct output *output)
{
    if (ferror(output->stream.out) && !output->number)
        output->number = errno ? errno : EIO;
    return output->number || output->stream.failed;
}

/* What was written is safe, and under its name, or it is gone. */
static int close_file(struct output *output, bool keep, struct error *error)
{
    FILE *out = output->stream.out;
    if (!out)
        return 0;
    errno = 0;
    fflush(out);
    bool good = !failed(output);
    keep = keep && output->temporary;
    if (good && keep && fsync(fileno(out)) != 0)
        output->number = errno;
    if (out != stdout && fclose(out) != 0 && !output->number)
        output->number = errno;
    good = good && !output->number;
    if (good && keep && rename(output->temporary, output->path) != 0)
        output->number = errno;
    good = good && !output->number;
    if (output->temporary && !(good && keep))
        unlink(output->temporary);
    return good ? 0 : cannot_write(output, error);
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
    if (file && (result = open_file(output, file + 1, error)))
        return result;
    output->stream.out = file ? output->stream.out : stdout;
    for (size_t i = 0; i + 1 < outputs->count; i++) {
        const char *other = outputs->items[i].path;
        if (!other && !file)
            return error_set(error, EXIT_USAGE,
                             "--format: only one can go to standard output; the others need a file, as in %s=FILE",
                             name);
        if (other && file && !strcmp(other, output->path))
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
        output->stream.progress = !output->path && isatty(STDERR_FILENO) ? stderr : NULL;
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
        outputs->items[i].recalled_before = outputs->items[i].stream.recalled;
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

/* Of a device's run a part, of the whole after the devices before it. */
static double part_of_all(const struct output *output, uint64_t before, double part)
{
    return ((double)before + part * (double)output->planned) / (double)output->stream.planned;
}

void outputs_expect(struct outputs *outputs, double part, double given)
{
    for (size_t i = 0; i < outputs->count; i++) {
        struct output *output = &outputs->items[i];
        output->stream.expected = part > 0 ? part_of_all(output, output->before, part) : 0;
        output->stream.given = part > 0 ? part_of_all(output, output->recalled_before, given) : 0;
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
        int closed = close_file(output, !aborted && output->begun, error);
        result = result ? result : closed;
        free(output->path);
        free(output->temporary);
    }
    *outputs = (struct outputs){0};
    return result;
}
