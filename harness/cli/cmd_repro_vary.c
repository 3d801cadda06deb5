/* `assay repro --vary`: which properties of a case its failure depends on. */
#include "harness/cli/cmd_repro_vary.h"
#include "harness/cli/cmd_repro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ends that a variant can have. */
enum fate { FATE_FAILS, FATE_OTHERWISE, FATE_PASSES, FATE_NOT_RUN, FATES };

struct seen {
    enum status *statuses;
    enum cause *causes;
    size_t count;
    struct record_total first; /* of the case itself */
};

static void repro_vary_on_record(void *context, const struct record *record)
{
    struct seen *seen = context;
    if (seen->count == 0)
        record_add(&seen->first, record);
    seen->statuses[seen->count] = record->verdict.status;
    seen->causes[seen->count++] = record->verdict.cause;
}

static enum fate fate_of(const struct seen *seen, size_t index)
{
    enum status status = index < seen->count ? seen->statuses[index] : STATUS_INCOMPLETE;
    if (status == STATUS_PASS || status == STATUS_WARN)
        return FATE_PASSES;
    if (!status_is_failure(status))
        return FATE_NOT_RUN;
    return status == seen->statuses[0] && seen->causes[index] == seen->causes[0] ? FATE_FAILS : FATE_OTHERWISE;
}

/* Prints the values of a property with which the case ended so, after `before`. Returns true if there are any. */
static bool print_values(const struct variants *v, const struct seen *seen, size_t first, size_t past, enum fate fate,
                         const char *before)
{
    static const char *const words[] = {"fails with", "fails in another way with", "passes with", "not run with"};
    const char *comma = " ";
    bool any = false;
    for (size_t i = first; i < past; i++) {
        if (fate_of(seen, i + 1) != fate)
            continue;
        if (!any)
            printf("%s%s", before, words[fate]);
        printf("%s%s", comma, v->items[i].value);
        comma = ", ";
        any = true;
    }
    return any;
}

/* Prints a line for each property, those first that end the failure. */
static void print_properties(const struct variants *v, const struct seen *seen, bool matter)
{
    bool any = false;
    for (size_t first = 0, past; first < v->count; first = past) {
        bool ends = false;
        for (past = first; past < v->count && v->items[past].property == v->items[first].property; past++)
            ends |= fate_of(seen, past + 1) == FATE_PASSES;
        if (ends != matter)
            continue;
        if (!any)
            puts(matter ? "properties that the failure depends on:"
                        : "properties that it does not depend on, as far as tried:");
        printf("  %s:", v->items[first].property);
        any = true;
        const char *before = " ";
        for (int fate = 0; fate < FATES; fate++)
            if (print_values(v, seen, first, past, (enum fate)fate, before))
                before = "; ";
        putchar('\n');
    }
    if (!any && matter)
        puts("no change of one property ends the failure");
}

static int cmd_repro_vary_run(const struct cmd_repro_run *how, const struct cmd_plan *plan, const struct testcase *c,
                              const struct variants *v, struct seen *seen, struct runner_total *total,
                              struct error *error)
{
    struct plan few = plan->plan;
    struct reporters none = {0};
    struct testcase *cases = calloc(v->count + 1, sizeof *cases);
    seen->statuses = calloc(v->count + 1, sizeof *seen->statuses);
    seen->causes = calloc(v->count + 1, sizeof *seen->causes);
    if (!cases || !seen->statuses || !seen->causes || v->failed) {
        free(cases);
        return error_set(error, EXIT_HARNESS, "out of memory");
    }
    cases[0] = *c;
    for (size_t i = 0; i < v->count; i++)
        cases[i + 1] = v->items[i].testcase;
    few.cases = cases;
    few.count = v->count + 1;
    const struct session_config on = {.runner = {.plan = &few,
                                                 .specs = &plan->specs,
                                                 .specs_folder = plan->specs_folder,
                                                 .device = how->device,
                                                 .reproduce_options = "",
                                                 .sandbox = how->sandbox,
                                                 .seed = how->seed,
                                                 .jobs = 1,
                                                 .batch = 1,
                                                 .timeout_ms = how->timeout_ms},
                                      .reporters = &none,
                                      .database = "",
                                      .command = "",
                                      .scope = {.half = how->half},
                                      .seen = repro_vary_on_record,
                                      .seen_context = seen,
                                      CMD_RUN_PRINTING};
    int result = session_run(&on, total, error);
    if (result == 0 && total->interrupted)
        result = error_set(error, EXIT_INCOMPLETE, "interrupted");
    free(cases);
    return result;
}

static void print_variants(const struct cmd_repro_run *how, const struct testcase *c, const struct variants *v,
                           const struct seen *seen)
{
    printf("%s: %s on %s; %zu legal variants, each with one change:\n", c->name, status_name(seen->statuses[0]),
           how->device, v->count);
    print_properties(v, seen, true);
    print_properties(v, seen, false);
    if (c->literals)
        puts("The case gives the values of its inputs, so neither types nor sizes were changed.");
}

int cmd_repro_vary(const struct cmd_repro_run *how, const struct cmd_plan *plan, const struct testcase *c,
                   struct error *error)
{
    struct variants v;
    struct seen seen = {0};
    struct runner_total total;
    if (c->lifecycle.kind || c->expect != EXPECT_RESULTS)
        return error_set(
            error, EXIT_USAGE,
            "--vary is for cases that expect results; `assay fuzz` shrinks descriptions that are judged wrongly");
    variants_make(&v, c);
    int result = cmd_repro_vary_run(how, plan, c, &v, &seen, &total, error);
    if (result == 0 && fate_of(&seen, 0) == FATE_FAILS && seen.statuses[0] != STATUS_HARNESS_ERROR) {
        print_variants(how, c, &v, &seen);
        result = EXIT_FAILURES;
    } else if (result == 0) {
        total.records = seen.first;
        printf("%s does not fail on %s: %s\n", c->name, how->device, status_name(seen.statuses[0]));
        result = runner_exit_status(&total);
    }
    free(seen.statuses);
    free(seen.causes);
    variants_free(&v);
    return result;
}
