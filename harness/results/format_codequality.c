/* Code Quality of GitLab: a line of JSON, an array with an issue for each cause of failures or warnings.
 * reports/codequality.schema.json describes it. */
#include "harness/results/format.h"
#include "harness/base/text.h"
#include "harness/run/causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { KEY_SIZE = 2048 };

struct format_codequality {
    char *device;
    uint64_t *fingerprints; /* those printed so far */
    size_t count;
};

static void format_codequality_begin(struct format_stream *stream)
{
    stream->state = calloc(1, sizeof(struct format_codequality));
    stream->failed |= !stream->state;
    putc('[', stream->out);
}

static void format_codequality_begin_run(struct format_stream *stream, const struct format_run *run)
{
    struct format_codequality *quality = stream->state;
    if (!quality)
        return;
    free(quality->device);
    quality->device = strdup(run->device);
    stream->failed |= !quality->device;
}

static void format_codequality_result(struct format_stream *stream, const struct record *record)
{
    (void)record; /* end_run() has the causes */
    stream->sequence++;
}

/* ---- fingerprints */

static bool is_printed(const struct format_codequality *quality, uint64_t fingerprint)
{
    for (size_t i = 0; i < quality->count; i++)
        if (quality->fingerprints[i] == fingerprint)
            return true;
    return false;
}

/* Returns true if the cause is a mistake of the device by itself. Any other one is a cause of one operator and rule. */
static bool is_explained(const struct cause_group *group)
{
    return cause_find(group->name) == CAUSE_NONE && strcmp(group->name, "unexplained") != 0 &&
           strcmp(group->name, "flaky") != 0;
}

/* Returns the fingerprint of a cause, which GitLab compares with those of the target branch. It does not depend on the
 * cases that fail: a cause is the same in the next run. Causes that only title or properties tell apart differ, too. */
static uint64_t find_fingerprint(const struct format_codequality *quality, const struct cause_group *group)
{
    char key[KEY_SIZE];
    int operator_length = is_explained(group) ? 0 : (int)strcspn(group->first_case, ".");
    int rule_length = is_explained(group) ? 0 : (int)strcspn(group->broken, ", ");
    int used = snprintf(key, sizeof key, "%.300s\n%d\n%s\n%.*s\n%.*s", quality->device, group->warnings, group->name,
                        operator_length, group->first_case, rule_length, group->broken);
    uint64_t fingerprint = XXH3_64bits(key, strlen(key));
    if (is_printed(quality, fingerprint)) {
        snprintf(key + used, sizeof key - (size_t)used, "\n%s\n%s", group->title, group->where);
        fingerprint = XXH3_64bits(key, strlen(key));
    }
    while (is_printed(quality, fingerprint))
        fingerprint++;
    return fingerprint;
}

/* ---- the end of a device */

static const char *severity_of(const struct cause_group *group)
{
    enum cause cause = cause_find(group->name);
    if (group->warnings)
        return "minor";
    return cause == CAUSE_CRASH || cause == CAUSE_TIMEOUT || cause == CAUSE_LOST ? "critical" : "major";
}

/* Prints the path of the device as GitLab wants it: relative to the repository, without options. */
static void print_location(FILE *out, const char *device)
{
    const char *path = device, *slash = strrchr(device, '/'), *options = strchr(slash ? slash : device, ':');
    char *kept = strndup(device, options ? (size_t)(options - device) : strlen(device));
    for (path = kept ? kept : ""; strncmp(path, "./", 2) == 0;)
        path += 2;
    fputs(",\"location\":{\"path\":", out);
    text_print_json(out, path);
    fputs(",\"lines\":{\"begin\":1}}", out);
    free(kept);
}

static void print_issue(FILE *out, const struct format_codequality *quality, const struct cause_group *group,
                        uint64_t fingerprint)
{
    char text[4096];
    snprintf(text, sizeof text, "%" PRIu64 " case%s %s on %.300s: %s%s%s; first: %s", group->cases,
             group->cases == 1 ? "" : "s", group->warnings ? "warn" : "fail", quality->device, group->title,
             *group->where ? "; all " : "", group->where, group->reproduce);
    fputs(quality->count > 1 ? ",{\"description\":" : "{\"description\":", out);
    text_print_json(out, text);
    fputs(",\"check_name\":", out);
    text_print_json(out, *group->broken ? group->broken : group->name);
    fprintf(out, ",\"fingerprint\":\"%016" PRIx64 "\",\"severity\":\"%s\"", fingerprint, severity_of(group));
    print_location(out, quality->device);
    putc('}', out);
}

static void format_codequality_end_run(struct format_stream *stream, const struct format_total *total)
{
    struct format_codequality *quality = stream->state;
    for (size_t i = 0; i < total->group_count && quality && quality->device; i++) {
        const struct cause_group *group = &total->groups[i];
        uint64_t fingerprint = find_fingerprint(quality, group);
        uint64_t *larger = realloc(quality->fingerprints, (quality->count + 1) * sizeof *larger);
        stream->failed |= !larger;
        if (!larger)
            return;
        quality->fingerprints = larger;
        quality->fingerprints[quality->count++] = fingerprint;
        print_issue(stream->out, quality, group, fingerprint);
    }
}

static void format_codequality_end(struct format_stream *stream)
{
    struct format_codequality *quality = stream->state;
    fputs("]\n", stream->out);
    if (quality) {
        free(quality->device);
        free(quality->fingerprints);
    }
    free(quality);
    stream->state = NULL;
}

const struct format format_codequality = {
    .name = "codequality",
    .help = "Code Quality of GitLab, in JSON",
    .begin = format_codequality_begin,
    .begin_run = format_codequality_begin_run,
    .result = format_codequality_result,
    .end_run = format_codequality_end_run,
    .end = format_codequality_end,
};
