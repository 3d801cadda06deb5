#include "harness/cli/cmd_bundle.h"

#include "harness/base/text.h"
#include "harness/cli/cmd_run.h"
#include "harness/run/expect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The sample while it is run. */
struct rerun {
    const struct bundle_case *cases; /* of one seed */
    size_t count;
    uint64_t agree, differ;
};

static const struct bundle_case *bundle_rerun_find(const struct rerun *rerun, const char *name)
{
    for (size_t i = 0; i < rerun->count; i++)
        if (strcmp(rerun->cases[i].name, name) == 0)
            return &rerun->cases[i];
    return NULL;
}

static void bundle_rerun_print_verdict(uint32_t statuses, const char *outcome)
{
    char words[200];
    expect_statuses(statuses, words, sizeof words);
    printf("%s%s", words, *outcome ? ", " : "");
    text_print(stdout, outcome);
}

/* Returns true if a case ends as claimed. A flaky case may end in any way that the claim has. */
static bool agrees(const struct bundle_case *claimed, const struct record *record)
{
    bool flaky = (claimed->statuses & (claimed->statuses - 1)) != 0;
    return (claimed->statuses >> record->verdict.status & 1) &&
           (flaky || strcmp(claimed->outcome, record->outcome) == 0);
}

static void bundle_rerun_on_record(void *context, const struct record *record)
{
    struct rerun *rerun = context;
    const struct bundle_case *claimed = bundle_rerun_find(rerun, record->case_name);
    if (!claimed)
        return;
    if (agrees(claimed, record)) {
        rerun->agree++;
        return;
    }
    rerun->differ++;
    printf("  %s: the bundle has ", record->case_name);
    bundle_rerun_print_verdict(claimed->statuses, claimed->outcome);
    printf(", here it is ");
    bundle_rerun_print_verdict(1u << record->verdict.status, record->outcome);
    putchar('\n');
}

/* Leaves only the cases of the sample in a plan: their names may match others, too. */
static size_t keep_sample(const struct rerun *rerun, const struct plan *plan, struct testcase *kept)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->count; i++)
        if (bundle_rerun_find(rerun, plan->cases[i].name))
            kept[count++] = plan->cases[i];
    return count;
}

/* Runs the cases of one seed. */
static int run_seed(struct rerun *rerun, const struct cmd_bundle_rerun *how, struct sandbox *sandbox,
                    struct error *error)
{
    struct cmd_plan plan;
    struct reporters none = {0};
    struct runner_total total;
    const struct cmd_source source = {.tier = "all", .may_miss = true};
    const char **names = calloc(rerun->count, sizeof *names);
    for (size_t i = 0; names && i < rerun->count; i++)
        names[i] = rerun->cases[i].name;
    int result = names ? cmd_load(&source, &(struct word_list){names, rerun->count}, &plan, error)
                       : error_set(error, EXIT_HARNESS, "out of memory");
    free(names);
    if (result)
        return result;
    struct testcase *kept = calloc(plan.plan.count + 1, sizeof *kept);
    struct plan few = plan.plan;
    few.cases = kept;
    few.count = kept ? keep_sample(rerun, &plan.plan, kept) : 0;
    const struct session_config on = {.runner = {.plan = &few,
                                                 .specs = &plan.specs,
                                                 .specs_folder = plan.specs_folder,
                                                 .device = how->device,
                                                 .reproduce_options = "",
                                                 .sandbox = sandbox,
                                                 .seed = rerun->cases[0].seed,
                                                 .jobs = 1,
                                                 .timeout_ms = RUNNER_TIMEOUT_MS},
                                      .reporters = &none,
                                      .database = "",
                                      .command = "",
                                      .seen = bundle_rerun_on_record,
                                      .seen_context = rerun,
                                      CMD_RUN_PRINTING};
    if (rerun->count > few.count) {
        printf("  %zu cases of the sample are not in this suite\n", rerun->count - few.count);
        rerun->differ += rerun->count - few.count;
    }
    if (few.count > 0)
        result = session_run(&on, &total, error);
    if (result == 0 && few.count > 0 && total.interrupted)
        result = error_set(error, EXIT_INCOMPLETE, "interrupted");
    free(kept);
    cmd_unload(&plan);
    return result;
}

int cmd_bundle_rerun(const struct bundle *bundle, const struct cmd_bundle_rerun *how, uint64_t *differ,
                     struct error *error)
{
    struct bundle_case *cases;
    struct sandbox *sandbox = NULL;
    struct rerun rerun = {0};
    size_t drawn, all;
    runner_catch_signals();
    int result = bundle_sample(bundle, how->count, how->seed, &cases, &drawn, &all, error);
    if (result == 0)
        result = cmd_sandbox(how->allow, &sandbox, error);
    printf("  seed: --seed %" PRIu64 " draws this sample\n", how->seed);
    fflush(stdout);
    for (size_t first = 0, past; first < drawn && result == 0; first = past) {
        for (past = first; past < drawn && cases[past].seed == cases[first].seed;)
            past++;
        rerun.cases = &cases[first];
        rerun.count = past - first;
        result = run_seed(&rerun, how, sandbox, error);
    }
    if (result == 0)
        printf("  sample: %zu of %zu cases on %s: %" PRIu64 " verdicts agree, %" PRIu64 " differ\n", drawn, all,
               how->device, rerun.agree, rerun.differ);
    *differ = rerun.differ + (drawn == 0); /* nothing holds a claim of which nothing was run */
    sandbox_free(sandbox);
    bundle_sample_free(cases, drawn);
    return result;
}
