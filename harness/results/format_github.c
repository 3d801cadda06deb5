/* Annotations for GitHub Actions: a workflow command ::error for each cause of failures, and ::warning for each cause
 * of warnings. GitHub shows ten of each kind in a step. The summary of the job, in Markdown, has all causes. */
#include "harness/results/format.h"
#include "harness/base/text.h"
#include "harness/results/markdown.h"
#include "harness/run/causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The causes of a kind that get an annotation. Two more say what was left out, and why a run ended early. */
enum { SHOWN_MAX = 8, TITLE_MAX = 200 };

struct format_github {
    char *device;
    uint64_t failures;               /* of the current device, as far as its results have come */
    uint64_t shown[2];               /* causes, by cause_group.warnings, over all devices */
    uint64_t left[2], left_cases[2]; /* the causes without an annotation, and their cases */
};

/* Prints text as the message of a workflow command or, with `property`, as the value of a property. */
static void format_github_print_escaped(FILE *out, const char *text, bool property)
{
    for (; *text; text++)
        if (*text == '%' || *text == '\r' || *text == '\n' || (property && strchr(":,", *text)))
            fprintf(out, "%%%02X", (unsigned)*text);
        else
            putc(*text, out);
}

static void format_github_print_command(FILE *out, const char *command, const char *title, const char *message)
{
    char visible[TITLE_MAX];
    text_visible(visible, sizeof visible, title);
    fprintf(out, "::%s title=", command);
    format_github_print_escaped(out, visible, true);
    fputs("::", out);
    format_github_print_escaped(out, message, false);
    putc('\n', out);
}

static const char *command_of(bool warnings)
{
    return warnings ? "warning" : "error";
}

static void format_github_begin(struct format_stream *stream)
{
    stream->state = calloc(1, sizeof(struct format_github));
    stream->failed |= !stream->state;
}

static void format_github_begin_run(struct format_stream *stream, const struct format_run *run)
{
    struct format_github *github = stream->state;
    if (!github)
        return;
    free(github->device);
    github->device = strdup(run->device);
    github->failures = 0;
    stream->failed |= !github->device;
}

static void format_github_result(struct format_stream *stream, const struct record *record)
{
    struct format_github *github = stream->state;
    stream->sequence++;
    if (github)
        github->failures += record_is_failure(record);
}

/* ---- the end of a device */

/* Prints an annotation with the lines that a run prints about the cause. */
static void print_annotation(struct format_stream *stream, const struct cause_group *group)
{
    const struct format_github *github = stream->state;
    char title[sizeof group->title + 120], *message = NULL;
    size_t size;
    FILE *out = open_memstream(&message, &size);
    if (out)
        causes_print(out, "", group, 1);
    if (!out || fclose(out) != 0) {
        stream->failed = true;
    } else {
        snprintf(title, sizeof title, "%.100s: %s", github->device, group->title);
        format_github_print_command(stream->out, command_of(group->warnings), title, message);
    }
    free(message);
}

/* Writes the counts of the device, for its notice and for the summary. */
static void write_counts(char *text, size_t size, const struct record_total *records)
{
    const char *comma = "";
    size_t used = 0;
    for (int status = 0; status < STATUS_COUNT && used < size; status++)
        if (records->counts[status]) {
            used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64 " %s", comma, records->counts[status],
                                     status_name((enum status)status));
            comma = ", ";
        }
    if (records->expected && used < size)
        snprintf(text + used, size - used, "; %" PRIu64 " known failures", records->expected);
}

static void format_github_print_summary(FILE *out, const char *device, const char *counts,
                                        const struct format_total *total)
{
    fputs("## assay: ", out);
    markdown_code(out, device);
    fprintf(out, "\n\n%s\n%s", counts, total->group_count > 0 ? "\n" : "");
    causes_print(out, "    ", total->groups, total->group_count); /* indented text is code in Markdown */
    putc('\n', out);
}

static void format_github_end_run(struct format_stream *stream, const struct format_total *total)
{
    struct format_github *github = stream->state;
    char counts[512] = "no cases";
    if (!github || !github->device)
        return;
    write_counts(counts, sizeof counts, &total->records);
    format_github_print_command(stream->out, "notice", github->device, counts);
    for (size_t i = 0; i < total->group_count; i++) {
        const struct cause_group *group = &total->groups[i];
        if (github->shown[group->warnings]++ < SHOWN_MAX) {
            print_annotation(stream, group);
        } else {
            github->left[group->warnings]++;
            github->left_cases[group->warnings] += group->cases;
        }
    }
    github->failures = 0;
    if (stream->summary)
        format_github_print_summary(stream->summary, github->device, counts, total);
}

static void format_github_end(struct format_stream *stream)
{
    struct format_github *github = stream->state;
    char text[200];
    for (int warning = 0; warning < 2 && github; warning++)
        if (github->left[warning]) {
            snprintf(text, sizeof text, "%" PRIu64 " more cause%s of %s without an annotation, with %" PRIu64 " case%s",
                     github->left[warning], github->left[warning] == 1 ? "" : "s", warning ? "warnings" : "failures",
                     github->left_cases[warning], github->left_cases[warning] == 1 ? "" : "s");
            format_github_print_command(stream->out, command_of(warning), "assay", text);
        }
    if (stream->aborted) {
        char *reason = malloc(strlen(stream->aborted) * TEXT_PIECE + 1);
        if (reason)
            text_visible(reason, strlen(stream->aborted) * TEXT_PIECE + 1, stream->aborted);
        uint64_t failures = github ? github->failures : 0;
        snprintf(text, sizeof text, "the run ended early, with %" PRIu64 " failure%s", failures,
                 failures == 1 ? "" : "s");
        format_github_print_command(stream->out, command_of(false), text, reason ? reason : "");
        stream->failed |= !reason;
        free(reason);
    } else if (stream->conclusion) {
        fputs(stream->conclusion, stream->out);
    }
    if (github)
        free(github->device);
    free(github);
    stream->state = NULL;
}

const struct format format_github = {
    .name = "github",
    .help = "annotations and job summary of GitHub Actions",
    .summary = "GITHUB_STEP_SUMMARY",
    .concludes = true,
    .begin = format_github_begin,
    .begin_run = format_github_begin_run,
    .result = format_github_result,
    .end_run = format_github_end_run,
    .end = format_github_end,
};
