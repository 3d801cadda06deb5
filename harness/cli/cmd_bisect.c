#include "harness/run/bisect.h"
#include "harness/cli/cmd_run.h"
#include "harness/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct cmd_source source;
    const char *device;
    uint64_t seed, shuffle, timeout;
};

struct bisecting {
    const struct values *v;
    const struct cmd_plan *plan;
    struct sandbox *sandbox;
    uint32_t suspect;       /* the case that fails after others */
    struct testcase *cases; /* room for all of the plan */
    size_t tries;
    /* The last try: */
    size_t count, recorded; /* its cases, and those that are done */
    size_t last_death;      /* 1 + index of the last case that killed its process; 0: none */
    enum status status;     /* of the suspect, */
    char message[512];      /* and its message */
};

/* ---- one try: some cases, then the suspect, in one process */

static int bisect_on_started(void *context, const assay_device_info *info, struct error *error)
{
    (void)context;
    (void)info;
    (void)error;
    return 0;
}

static int bisect_on_record(void *context, const struct record *record, struct error *error)
{
    struct bisecting *b = context;
    (void)error;
    bool died = record->verdict.status == STATUS_CRASH || record->verdict.status == STATUS_TIMEOUT ||
                record->verdict.status == STATUS_DEVICE_LOST;
    if (++b->recorded < b->count) {
        b->last_death = died ? b->recorded : b->last_death;
        return 0;
    }
    b->status = record->verdict.status;
    text_visible(b->message, sizeof b->message, record->message);
    return 0;
}

static int try_after(void *context, const uint32_t *before, size_t count, bool *fails, struct error *error)
{
    struct bisecting *b = context;
    for (size_t i = 0; i < count; i++)
        b->cases[i] = b->plan->plan.cases[before[i]];
    b->cases[count] = b->plan->plan.cases[b->suspect];
    const struct plan few = {.cases = b->cases, .count = count + 1};
    struct runner_config config = {.plan = &few,
                                   .specs = &b->plan->specs,
                                   .specs_folder = b->plan->specs_folder,
                                   .device = b->v->device,
                                   .sandbox = b->sandbox,
                                   .half = b->v->source.half,
                                   .seed = b->v->seed,
                                   .jobs = 1,
                                   .batch = 1,
                                   .timeout_ms = (unsigned)b->v->timeout * 1000,
                                   .reproduce_options = "",
                                   .started = bisect_on_started,
                                   .record = bisect_on_record,
                                   .context = b};
    struct runner_total total;
    b->tries++;
    b->count = few.count;
    b->recorded = b->last_death = 0;
    int result = runner_run(&config, &total, error);
    if (result == 0 && total.interrupted)
        result = error_set(error, EXIT_INCOMPLETE, "interrupted");
    *fails = result == 0 && status_is_failure(b->status);
    return result;
}

/* ---- the search */

static void on_found(void *context, uint32_t one)
{
    const struct bisecting *b = context;
    printf("needed: %s\n", b->plan->plan.cases[one].name);
    fflush(stdout);
}

static void print_reproduce(const struct bisecting *b, const uint32_t *before, size_t count)
{
    char options[CMD_REPRODUCE_OPTIONS], quoted[1024];
    cmd_run_reproduce_options(&b->v->source, options);
    printf("  reproduce  %s repro %s -d %s --seed %llu%s", program_invocation_name,
           b->plan->plan.cases[b->suspect].name, text_quoted(quoted, sizeof quoted, b->v->device),
           (unsigned long long)b->v->seed, options);
    for (size_t i = 0; i < count; i++)
        printf(" --after %s", b->plan->plan.cases[before[i]].name);
    putchar('\n');
}

/* Checks that the suspect passes alone and fails after the cases before it. Otherwise returns false and stores the exit
 * status. Removes from `before` the cases that cannot matter. */
static bool is_order(struct bisecting *b, uint32_t *before, size_t *count, int *result, struct error *error)
{
    bool fails = false;
    const char *name = b->plan->plan.cases[b->suspect].name;
    *result = try_after(b, NULL, 0, &fails, error);
    if (*result)
        return false;
    printf("%s: %s alone\n", name, status_name(b->status));
    if (fails || b->status == STATUS_SKIP || b->status == STATUS_UNSUPPORTED) {
        printf("  message    %s\n", b->message);
        if (fails)
            print_reproduce(b, NULL, 0);
        *result = fails ? EXIT_FAILURES : EXIT_NO_DEVICE;
        return false;
    }
    *result = try_after(b, before, *count, &fails, error);
    if (*result)
        return false;
    printf("%s: %s after the %zu cases before it%s%s\n", name, status_name(b->status), *count, fails ? ": " : "",
           fails ? b->message : "");
    if (!fails)
        puts("no earlier case makes it fail. Did the run in which it failed have the same filters, --seed and "
             "--shuffle?\n"
             "Does it fail with `assay run --batch 1`? If not, the other cases of its dispatch matter.");
    /* A case cannot affect another across the death of their process. */
    memmove(before, before + b->last_death, (*count - b->last_death) * sizeof *before);
    *count -= b->last_death;
    return fails;
}

static int bisect_search(struct bisecting *b, uint32_t *before, size_t count, struct error *error)
{
    bool fails = false;
    int result;
    size_t all = count;
    if (!is_order(b, before, &count, &result, error))
        return result;
    result = bisect(before, &count, try_after, on_found, b, error);
    if (result == 0)
        result = try_after(b, before, count, &fails, error);
    if (result)
        return result;
    printf("%s %s after %zu of the %zu cases before it; found in %zu runs\n", b->plan->plan.cases[b->suspect].name,
           fails ? "fails" : "failed once, but not again,", count, all, b->tries);
    if (fails)
        printf("  message    %s\n", b->message);
    print_reproduce(b, before, count);
    return EXIT_FAILURES;
}

/* Stores the cases that run before the suspect, in order of execution, and returns how many there are. */
static size_t bisect_find_before(const struct bisecting *b, uint32_t *before)
{
    uint32_t *order = b->v->shuffle ? plan_shuffled(&b->plan->plan, b->v->shuffle) : NULL;
    size_t count = 0;
    for (size_t i = 0; i < b->plan->plan.count; i++) {
        uint32_t index = order ? order[i] : (uint32_t)i;
        if (index == b->suspect)
            break;
        before[count++] = index;
    }
    free(order);
    return count;
}

static int cmd_bisect_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_plan plan;
    size_t suspect = 0;
    if (arguments->count == 0)
        return error_set(error, EXIT_USAGE, "bisect takes the name of a case that passes alone, but fails in a run");
    if (!v->device)
        return error_set(error, EXIT_USAGE, "which device? -d NAME; `assay devices` lists them");
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    const struct word_list filters = {.items = arguments->items + 1, .count = arguments->count - 1};
    int result = cmd_load(&v->source, &filters, &plan, error);
    if (result)
        return result;
    result = cmd_find_case(&plan.plan, arguments->items[0], &suspect, error);
    struct bisecting b = {.v = v, .plan = &plan, .suspect = (uint32_t)suspect};
    uint32_t *before = malloc((plan.plan.count + 1) * sizeof *before);
    b.cases = calloc(plan.plan.count + 1, sizeof *b.cases);
    if (result == 0 && (!before || !b.cases))
        result = error_set(error, EXIT_HARNESS, "out of memory");
    if (result == 0)
        result = cmd_sandbox(&v->source.allow, &b.sandbox, error);
    if (result == 0)
        result = bisect_search(&b, before, bisect_find_before(&b, before), error);
    if (b.sandbox)
        sandbox_report(b.sandbox, v->device);
    sandbox_free(b.sandbox);
    free(before);
    free(b.cases);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), CMD_DEVICE_HELP},
    {0, "seed", "N", OPTION_UINT, offsetof(struct values, seed), "--seed of the run in which it failed (default: 0)"},
    {0, "shuffle", "SEED", OPTION_UINT, offsetof(struct values, shuffle),
     "--shuffle of that run (default: 0, plan order)"},
    CMD_TIMEOUT_OPTION(struct values, "time limit for one case"),
    CMD_ALLOW_OPTION(struct values, source.allow),
    CMD_HALF_OPTION(struct values, source.half),
    CMD_SOURCE_OPTIONS(struct values),
    {0}};

static const struct values defaults = {.timeout = RUNNER_TIMEOUT};

const struct command cmd_bisect = {
    .name = "bisect",
    .arguments = "CASE [FILTER…] -d DEVICE",
    .summary = "find the earlier cases that make a case fail in a run",
    .examples = "assay bisect gather.examples.vector.fl3_0.float32-uint32.d1a0i1 -d vulkan\n",
    .notes =
        "Runs CASE alone, then after all cases that a run with the same filters, seed and order runs before it, in "
        "one process and one dispatch each; then after fewer and fewer of them, until no case can be left out. "
        "Prints a command that reproduces the failure. Exit status 1 if CASE fails, 0 if no earlier case makes it "
        "fail, 6 if it is skipped or unsupported.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .defaults = &defaults,
    .run = cmd_bisect_run};
