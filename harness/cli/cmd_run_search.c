/* The short search for wrongly judged descriptions that ends a run. */
#include "harness/cli/cmd_run.h"

#include "harness/base/clock.h"
#include "harness/base/text.h"
#include "harness/cli/cmd_fuzz.h"
#include "harness/results/fuzz_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    EXECUTED = 65536 / 20, /* of accepted legal descriptions, in 65,536ths */
    SHORT_CHUNK = 1024,    /* descriptions of an operator before the next one, so that a second reaches all of them */
    LONGEST_MS = 5000      /* for one description; a longer --timeout is for large cases */
};

uint64_t cmd_run_search_seconds(uint64_t given, bool whole_operators)
{
    if (given != CMD_RUN_SEARCH_DEFAULT)
        return given;
    return whole_operators ? 1 : 0;
}

bool cmd_run_names_operators(const struct word_list *filters, const struct spec_set *specs)
{
    for (size_t i = 0; i < filters->count; i++) {
        char name[128];
        const char *filter = filters->items[i];
        const size_t length = strlen(filter);
        const bool is_all = length > 2 && strcmp(filter + length - 2, ".*") == 0;
        snprintf(name, sizeof name, "%.*s", (int)(is_all ? length - 2 : length), filter);
        if (spec_set_find(specs, name) < 0)
            return false;
    }
    return true;
}

static int by_rules(const void *a, const void *b, void *context)
{
    const struct spec_set *specs = context;
    const int one = *(const int *)a, other = *(const int *)b;
    int rules = specs->specs[other].rule_count - specs->specs[one].rule_count;
    return rules ? rules : one - other;
}

/* Lists the operators of the cases; first those with the most rules, since the time may not be enough for all. */
static void list_operators(const struct plan *plan, const struct spec_set *specs, struct fuzz_search_config *config)
{
    bool ran[256] = {false};
    for (size_t i = 0; i < plan->count; i++)
        if (plan->cases[i].spec - specs->specs < 256)
            ran[plan->cases[i].spec - specs->specs] = true;
    for (int op = 0; op < specs->count && op < 256; op++)
        if (ran[op])
            config->ops[config->op_count++] = op;
    qsort_r(config->ops, (size_t)config->op_count, sizeof *config->ops, by_rules,
            (void *)(uintptr_t)specs); /* for by_rules() */
}

static void run_search_print(FILE *out, const struct fuzz_search *found)
{
    uint64_t executed = 0;
    int searched = 0;
    for (int op = 0; op < found->config->specs->count; op++) {
        const struct fuzz_tally *tally = found->tallies[op];
        executed += tally ? tally->counts.executed : 0;
        searched += tally && tally->counts.tried > 0;
    }
    cmd_fuzz_print_findings(out, found);
    text_print(out, found->config->device);
    fprintf(out, ": search of %d of %d operators: %" PRIu64 " descriptions in %.1f s, %" PRIu64 " executed: ", searched,
            found->op_count, found->tried, (double)found->elapsed_ns / 1e9, executed);
    if (found->group_count)
        fprintf(out, "%zu finding%s\n", found->group_count, found->group_count == 1 ? "" : "s");
    else
        fputs("nothing found\n", out);
}

/* Counts a finding that is a failure, marks it if it is known, and prints the name by which an expectation file may
 * list it. */
static void run_search_judge(FILE *out, const struct expect *expect, const struct fuzz_search *found,
                             struct fuzz_group *group, struct cmd_run_end *end)
{
    const struct spec *spec = &found->config->specs->specs[group->op];
    char name[256];
    if (!fuzz_group_is_failure(found, group))
        return;
    fuzz_finding_name(spec->name, group->rule < 0 ? "" : spec->rules[group->rule].id, group->verdict, name,
                      sizeof name);
    const struct expect_line *line = expect ? expect_find(expect, name) : NULL;
    const bool known = expect_allows(line, 1u << fuzz_finding_status(group->verdict));
    *(known ? &end->known : &end->found) += 1;
    group->known = known ? line->reason : NULL;
    text_print(out, found->config->device);
    if (known)
        fprintf(out, ": known finding %s: %s (%s:%u)\n", name, line->reason, line->file, line->number);
    else
        fprintf(out, ": finding %s\n", name);
}

int cmd_run_search(const struct session_config *run, uint64_t seconds, FILE *out, struct cmd_run_end *end,
                   struct error *error)
{
    const struct runner_config *runner = &run->runner;
    struct fuzz_search found;
    struct fuzz_past past = {0};
    int64_t id = 0;
    struct fuzz_search_config config = {.specs = runner->specs,
                                        .specs_folder = runner->specs_folder,
                                        .device = runner->device,
                                        .sandbox = runner->sandbox,
                                        .reproduce_options = runner->reproduce_options,
                                        .half = run->scope.half,
                                        .seed = runner->seed,
                                        .seconds = seconds,
                                        .chunk = SHORT_CHUNK,
                                        .shard = run->shard ? run->shard - 1 : 0,
                                        .shards = run->shards ? run->shards : 1,
                                        .execute = EXECUTED,
                                        .jobs = runner->jobs,
                                        .timeout_ms =
                                            runner->timeout_ms < LONGEST_MS ? runner->timeout_ms : LONGEST_MS};
    list_operators(runner->plan, runner->specs, &config);
    if (config.op_count == 0)
        return 0;
    int result = *run->database ? fuzz_store_load(run->database, &config, &past, error) : 0;
    config.seeds = past.seeds;
    config.seed_count = past.seed_count;
    config.first = past.next; /* the runs of a database take all operators in turn */
    if (result == 0) {
        result = fuzz_search_run(&config, &found, error);
        if (result == 0 && found.op_count > 0)
            run_search_print(out, &found);
        for (size_t i = 0; i < found.group_count; i++)
            run_search_judge(out, runner->expect, &found, &found.groups[i], end);
        if (result == 0 && *run->database)
            result = fuzz_store_save(run->database, &found,
                                     found.interrupted ? FUZZ_STORE_INTERRUPTED : FUZZ_STORE_DONE, &id, error);
        fuzz_search_free(&found);
    }
    fuzz_store_free(&past);
    return result;
}
