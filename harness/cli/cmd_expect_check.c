/* assay expect check: checks the results of devices in a database against expectation files. Only a merged run tells
 * which lines about cases of several shards are stale. */
#include "harness/cli/cmd_expect.h"

#include "harness/results/expect_results.h"
#include "harness/base/text.h"

#include <stdlib.h>

#include <stdio.h>

struct checking {
    const struct expect_run *run;
    const struct plan *plan;
    size_t expected, unexpected, unknown; /* cases that ended as a line says, otherwise, or failed without a line */
};

static void expect_check_print(const char *name, const char *message)
{
    fputs(name, stdout);
    fputs(": ", stdout);
    text_print(stdout, message);
    putchar('\n');
}

/* Returns the status that stands for all attempts at a case: a failure if there is one, as far as expectations are
 * concerned. */
static enum status status_of(uint32_t statuses)
{
    enum status status = STATUS_PASS;
    for (int s = 0; s < STATUS_COUNT; s++)
        if (statuses >> s & 1 && (status == STATUS_PASS || status_is_failure((enum status)s)))
            status = (enum status)s;
    return status;
}

static void check_case(struct checking *c, struct expect *expect, size_t index)
{
    uint32_t statuses = c->run->statuses[index];
    const char *name = c->plan->cases[index].name;
    char text[600];
    if (statuses == 0)
        return;
    struct record record = {.verdict.status = status_of(statuses),
                            .statuses = statuses,
                            .message = c->run->messages[index],
                            .broken = expect_run_broken(c->run, index),
                            .case_name = name};
    expect_judge(expect, index, &record);
    c->expected += record.standing == STANDING_EXPECTED;
    if (record.standing == STANDING_UNEXPECTED) {
        c->unexpected++;
        expect_check_print(name, record.message);
    } else if (record.standing == STANDING_NONE && status_is_failure(record.verdict.status)) {
        c->unknown++;
        snprintf(text, sizeof text, "%s, which no line expects%s%s", status_name(record.verdict.status),
                 *record.message ? ": " : "", record.message);
        expect_check_print(name, text);
    }
}

static void expect_check_print_stale(void *context, const struct expect_line *line, const char *what)
{
    (void)context;
    text_print(stdout, line->file);
    printf(":%u: ", line->number);
    text_print(stdout, what);
    putchar('\n');
}

static int expect_check_run(struct expect *expect, const struct expect_run *run, const struct plan *plan,
                            struct error *error)
{
    struct checking c = {.run = run, .plan = plan};
    if (run->shards > 1)
        return error_set(error, EXIT_USAGE, "run %lld is shard %u/%u; `assay merge` makes one run of all shards",
                         (long long)run->id, run->shard, run->shards);
    expect_use(expect, plan, &run->device);
    for (size_t i = 0; i < plan->count; i++)
        check_case(&c, expect, i);
    size_t stale = expect_stale(expect, plan, NULL, false, expect_check_print_stale, NULL);
    printf("run %lld on '", (long long)run->id);
    text_print(stdout, run->device.device);
    printf("', %zu cases: %zu as expected, %zu unexpected, %zu failed without a line; %zu stale line%s\n", run->known,
           c.expected, c.unexpected, c.unknown, stale, stale == 1 ? "" : "s");
    return c.unexpected + c.unknown + stale > 0 ? EXIT_FAILURES : EXIT_AS_EXPECTED;
}

/* Returns the patterns of lines that match no case of the plan, and the strategies of cases that only the results have.
 * The caller frees the items. */
static struct word_list find_unplanned(const struct expect *lines, const struct expect_runs *runs,
                                       const struct plan *plan)
{
    size_t room = lines->count + 1;
    for (size_t i = 0; i < runs->count; i++)
        room += runs->items[i].other_count;
    struct word_list words = {.items = calloc(room, sizeof *words.items)};
    if (!words.items)
        return words;
    words.count = expect_unmatched(lines, plan, words.items);
    for (size_t i = 0; i < runs->count; i++)
        for (size_t j = 0; j < runs->items[i].other_count; j++)
            words.items[words.count++] = runs->items[i].others[j];
    return words;
}

int cmd_expect_load(const struct cmd_source *source, const struct expect *lines, const char *database, int64_t id,
                    struct cmd_plan *plan, struct expect_runs *runs, struct error *error)
{
    int result = cmd_load(source, &(struct word_list){0}, plan, error);
    if (result)
        return result;
    result = expect_runs_read(runs, database, id, &plan->plan, error);
    struct word_list unplanned = {0};
    if (result == 0)
        unplanned = find_unplanned(lines, runs, &plan->plan);
    if (result == 0 && !unplanned.items)
        result = error_set(error, EXIT_HARNESS, "out of memory");
    if (result == 0 && unplanned.count > 0) { /* they may be of other tiers, which take long to plan */
        result = cmd_load_tiers(source, &unplanned, plan, error);
        expect_runs_free(runs);
        if (result == 0)
            result = expect_runs_read(runs, database, id, &plan->plan, error);
    }
    free(unplanned.items);
    if (result) {
        expect_runs_free(runs);
        cmd_unload(plan);
    }
    return result;
}

int cmd_expect_check(const struct cmd_source *source, const char *const *files, size_t count, const char *database,
                     int64_t id, struct error *error)
{
    struct expect expect = {0};
    struct expect_runs runs = {0};
    struct cmd_plan plan;
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = expect_load(&expect, files[i], false, error);
    if (result == 0)
        result = cmd_expect_load(source, &expect, database, id, &plan, &runs, error);
    if (result) {
        expect_free(&expect);
        return result;
    }
    for (size_t i = 0; i < runs.count && (result == EXIT_AS_EXPECTED || result == EXIT_FAILURES); i++) {
        int checked = expect_check_run(&expect, &runs.items[i], &plan.plan, error);
        result = checked == EXIT_AS_EXPECTED ? result : checked;
    }
    expect_free(&expect);
    expect_runs_free(&runs);
    cmd_unload(&plan);
    return result;
}
