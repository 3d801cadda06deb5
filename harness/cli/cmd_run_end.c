/* The end of a run prints the verdict, the next commands and the slowest cases. */
#include "harness/cli/cmd_run.h"

#include "harness/base/text.h"
#include "harness/plan/patterns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the verdict */

static void run_end_print_count(FILE *out, const char *separator, uint64_t count, const char *what)
{
    if (count > 0)
        fprintf(out, "%s%" PRIu64 " %s", separator, count, what);
}

static void print_left_out(FILE *out, const uint64_t *counts)
{
    run_end_print_count(out, "; ", counts[STATUS_WARN], "with warnings");
    run_end_print_count(out, "; ", counts[STATUS_SKIP], "skipped");
    run_end_print_count(out, "; ", counts[STATUS_UNSUPPORTED], "unsupported");
}

static void run_end_print_verdict(FILE *out, const struct cmd_run_end *end)
{
    const struct record_total *records = &end->all.records;
    const uint64_t *counts = records->counts;
    uint64_t all = 0, left = counts[STATUS_INCOMPLETE];
    for (int s = 0; s < STATUS_COUNT; s++)
        all += counts[s];
    uint64_t idle = counts[STATUS_SKIP] + counts[STATUS_UNSUPPORTED];
    fputs("verdict: ", out);
    bool device = *end->all.opening || *end->all.closing;
    const char *early = "incomplete";
    if (end->all.interrupted)
        early = runner_interrupted() ? "interrupted" : "out of time";
    if (end->all.interrupted || (end->status == EXIT_INCOMPLETE && records->failures == 0))
        fprintf(out, "%s, %" PRIu64 " of %" PRIu64 " cases were run", early, all - left, all);
    else if (end->status == EXIT_AS_EXPECTED)
        fprintf(out, "passed, %" PRIu64 " of %" PRIu64 " cases as expected", all - idle, all);
    else if (end->status == EXIT_NO_DEVICE)
        fprintf(out, "nothing was judged, all %" PRIu64 " cases were skipped or are unsupported", all);
    else
        fprintf(out, "failed, %" PRIu64 " of %" PRIu64 " cases", records->failures, all);
    if (end->all.interrupted)
        run_end_print_count(out, "; ", records->failures, "failed");
    run_end_print_count(out, ", ", records->unexpected_passes, "of them passed against an expectation");
    run_end_print_count(out, "; ", records->expected, "known failures");
    if (end->status != EXIT_NO_DEVICE)
        print_left_out(out, counts);
    if (!end->all.interrupted && records->failures > 0)
        run_end_print_count(out, "; ", left, "not run");
    run_end_print_count(out, "; ", end->stale, end->stale == 1 ? "stale expectation" : "stale expectations");
    run_end_print_count(out, "; ", end->found, end->found == 1 ? "finding of the search" : "findings of the search");
    run_end_print_count(out, "; ", end->known, end->known == 1 ? "known finding" : "known findings");
    fputs(device ? "; the device's process misbehaved when it was opened or closed\n" : "\n", out);
}

char *cmd_run_conclude(const struct cmd_run_end *end, struct reporters *reporters)
{
    char *text = NULL, word[2 * PATHS_SIZE];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool left = end->all.records.counts[STATUS_INCOMPLETE] > 0;
    if (!out)
        return NULL;
    run_end_print_verdict(out, end);
    if (*end->database) {
        text_word(word, sizeof word, end->database);
        fprintf(out, "  report     %s report %s\n", program_invocation_name, word);
        if (left)
            fprintf(out, "  resume     %s run --resume --db %s\n", program_invocation_name, word);
    }
    if (fclose(out) == 0 && !reporters_conclude(reporters, text) && left)
        fprintf(stderr, "assay: %s", text);
    return text;
}

/* ---- messages about the device */

void cmd_run_print_profile(const char *who, const struct profile *profile, uint64_t kib)
{
    fprintf(stderr, "assay: profile: ");
    profile_print(stderr, who, profile, kib);
}

/* Prints a message about a device; `text` may contain the device's own words. */
static void run_end_say(const char *device, const char *what, const char *text)
{
    if (!*text)
        return;
    fprintf(stderr, "assay: device '%s': %s ", device, what);
    text_print(stderr, text);
    fputc('\n', stderr);
}

void cmd_run_report(const struct session_config *config, const struct runner_total *total)
{
    const char *device = config->runner.device;
    if (total->unexplained)
        fprintf(
            stderr,
            "assay: device '%s': %llu batches died as a whole, while each of their cases ended well alone: these cases "
            "are flaky\n",
            device, (unsigned long long)total->unexplained);
    run_end_say(device, "opening it", total->opening);
    run_end_say(device, "its process", total->closing);
    if (config->runner.profile)
        cmd_run_print_profile(config->runner.jobs == 1 ? "1 worker" : "workers", &total->workers, total->workers_kib);
}

/* ---- the slowest cases */

bool cmd_run_slowest_init(struct cmd_run_slowest *slowest, unsigned most)
{
    *slowest = (struct cmd_run_slowest){.most = most, .items = calloc(most + 1, sizeof *slowest->items)};
    return slowest->items != NULL;
}

void cmd_run_slowest_add(void *context, const struct record *record)
{
    struct cmd_run_slowest *slowest = context;
    struct cmd_run_slow *items = slowest->items;
    if (slowest->most == 0 || record->verdict.host_ns == 0 || record->recalled)
        return;
    if (slowest->count == slowest->most) {
        if (items[slowest->count - 1].ns >= record->verdict.host_ns)
            return;
        free(items[--slowest->count].name);
    }
    unsigned at = slowest->count++;
    for (; at > 0 && items[at - 1].ns < record->verdict.host_ns; at--)
        items[at] = items[at - 1];
    items[at] = (struct cmd_run_slow){strdup(record->case_name), record->verdict.host_ns};
}

void cmd_run_slowest_print(const struct cmd_run_slowest *slowest, const char *device)
{
    if (slowest->count == 0)
        return;
    fprintf(stderr, "assay: the slowest cases on '");
    text_print(stderr, device);
    fprintf(stderr, "', by the time in its calls:\n");
    for (unsigned i = 0; i < slowest->count; i++)
        fprintf(stderr, "%11.3f ms  %s\n", (double)slowest->items[i].ns * 1e-6,
                slowest->items[i].name ? slowest->items[i].name : "");
}

void cmd_run_slowest_free(struct cmd_run_slowest *slowest)
{
    for (unsigned i = 0; i < slowest->count; i++)
        free(slowest->items[i].name);
    free(slowest->items);
    *slowest = (struct cmd_run_slowest){0};
}

/* ---- limits for some of the cases */

uint32_t *cmd_run_limits(const struct option_limits *limits, const struct plan *plan, uint32_t factor)
{
    size_t count = limits ? limits->patterns.count : 0;
    const char **names = calloc(count + 1, sizeof *names);
    uint32_t *values = malloc((plan->count + 1) * sizeof *values);
    struct patterns patterns = {0};
    struct pool pool = {0};
    for (size_t i = 0; names && i < count; i++)
        names[i] =
            pool_format(&pool, "%.*s", (int)(strrchr(limits->patterns.items[i], '=') - limits->patterns.items[i]),
                        limits->patterns.items[i]);
    bool good = names && values && patterns_index(&patterns, names, count);
    for (size_t i = 0; i < plan->count && good; i++) {
        uint32_t at = patterns_last(&patterns, plan->cases[i].name);
        uint64_t number = at ? options_limit(limits->patterns.items[at - 1]) : limits->number;
        values[i] = (uint32_t)number * factor;
    }
    patterns_free(&patterns);
    pool_clear(&pool);
    free(names);
    if (good)
        return values;
    free(values);
    return NULL;
}
