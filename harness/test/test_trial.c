/* Trials: the worked examples pass, and fail when any expected element is altered; the Lua meaning and the C reference
 * agree on small cases, and both disagree with a planted error. */
#include "harness/base/datatype.h"
#include "harness/check/check.h"
#include "harness/cli/builtins.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;
static struct plugin reference, meaning;

enum { EXPLAINED = 8 };

static void test_trial_dispatch(struct trial_setup *setup, struct trial *t)
{
    assay_dispatch_item item = {t->objects.compiled, t->inputs, t->outputs, (uint32_t)t->input_count,
                                (uint32_t)t->output_count};
    assay_dispatch_result result = {.status = E_FAIL};
    HRESULT status = setup->device->api->dispatch(setup->device->device, &item, 1, &result);
    if (FAILED(status))
        result.status = status;
    trial_judge(setup, t, &result);
}

/* Runs one case in this process. The case is dispatched a second time only if the first may be right by chance. Wrong
 * results of one operator in EXPLAINED are explained, since that takes a second an operator; with the meaning it takes
 * seconds a case, and runs explain with the reference alone. */
static enum status test_trial_run_case(const struct testcase *c, struct plugin *device, struct plugin *oracle,
                                       char message[512])
{
    static struct arena *arena;
    struct trial_setup setup = {
        .device = device, .reference = oracle, .unexplained = oracle == &meaning || c->spec->type % EXPLAINED != 0};
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    arena = arena ? arena : arena_new();
    setup.arena = arena;
    trial_prepare(&setup, &t);
    if (!t.judged)
        test_trial_dispatch(&setup, &t);
    if (t.unproven && trial_prepare_second(&setup, &t))
        test_trial_dispatch(&setup, &t);
    trial_finish(&setup, &t);
    arena_reset(arena);
    memcpy(message, t.message, sizeof t.message);
    return t.verdict.status;
}

/* Returns true if the output has a formula that may round: then other values near the right one are right, too. */
static bool may_round(const struct spec *spec, int field)
{
    for (int i = 0; i < spec->result_count; i++)
        if (spec->results[i].field == field && !spec->results[i].bits)
            return true;
    return false;
}

/* Rulings allow other results of these examples, too: of 32-bit integers that overflow (E4), and of samples outside of
 * the picture (Z7). */
static bool has_alternatives(const struct testcase *c)
{
    static const char *const names[] = {"element_wise_subtract.examples.wrapped.", "roi_align1.examples.outside."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(c->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Returns true if the case is said to contradict the reference device when element `element` of output `item` is
 * altered: its lowest bit; of a result that may round, the bit below the highest one, which is beyond any tolerance;
 * where other results are allowed, to a number beyond all of them. */
static int altered_contradicts(const struct testcase *c, int item, uint32_t element)
{
    unsigned width = datatype_of(c->desc->items[item].tensor.data_type)->bits;
    void *data = (void *)(uintptr_t)c->literals[item].data;
    uint64_t bits = element_get(width, data, element);
    uint64_t flipped = may_round(c->spec, c->spec->tensor_fields[item]) ? (uint64_t)1 << (width - 2) : 1;
    uint64_t altered = has_alternatives(c) ? (uint64_t)7 << (width - 4) | 1 : bits ^ flipped; /* a number beyond 2^90 */
    char message[512];
    element_put(width, data, element, altered);
    enum status status = test_trial_run_case(c, &reference, &reference, message);
    element_put(width, data, element, bits);
    return status == STATUS_HARNESS_ERROR && strstr(message, "the documented outputs contradict the reference");
}

/* Any result is right for windows of padding alone (W5). */
static bool all_is_open(const struct testcase *c)
{
    return strncmp(c->name, "max_pooling", strlen("max_pooling")) == 0 && strstr(c->name, ".padding-alone.");
}

static void test_trial_examples(void)
{
    int examples = 0, elements = 0, missed = 0, failed = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        char message[512];
        if (strcmp(c->strategy, "examples") != 0)
            continue;
        examples++;
        enum status status = test_trial_run_case(c, &reference, &reference, message);
        if (status != STATUS_PASS) {
            failed++;
            note("%s: %s: %s", c->name, status_name(status), message);
        }
        if (!c->literals || c->expect != EXPECT_RESULTS || all_is_open(c))
            continue;
        for (int item = -1; (item = testcase_next_tensor(c, item)) >= 0;) {
            if (!field_is_output(spec_tensor_field(c->spec, item)))
                continue;
            for (uint32_t e = 0; e < c->literals[item].count; e++, elements++)
                if (!altered_contradicts(c, item, e)) {
                    missed++;
                    note("%s: altering element %u of %s goes unnoticed", c->name, e, c->spec->tensor_names[item]);
                }
        }
    }
    ok(examples >= 25, "%d worked examples are cases", examples);
    ok(failed == 0, "all of them pass on the reference device");
    ok(elements >= 60 && missed == 0, "altering any of their %d documented output elements is noticed", elements);
}

/* A scatter whose indices must repeat has no single right result. */
static void test_distinct(void)
{
    int repeated = 0;
    for (size_t i = 0; i < plan.count; i++)
        if (plan.cases[i].expect == EXPECT_RESULTS && !plan.cases[i].literals &&
            !solve_indices_fit(plan.cases[i].spec, plan.cases[i].desc) && repeated++ < 5)
            note("%s", plan.cases[i].name);
    ok(repeated == 0, "no case needs the same index twice where indices must be distinct");
}

/* Too large for the meaning, which takes microseconds an element. */
static bool is_large(const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (opdesc_elements(&c->desc->items[i].tensor) > 2000)
            return true;
    return false;
}

static void test_meaning(void)
{
    struct sample sample = {0};
    bool *seen = calloc((size_t)specs.count, sizeof *seen);
    int compared = 0, differ = 0, missing = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        char message[512];
        if (!sample_takes(&sample, c))
            continue;
        if (c->expect == EXPECT_REJECTED && rules_check(c->spec, c->desc, DML_FEATURE_LEVEL_6_4, NULL, 0) == 0)
            continue; /* rejected by devices of a lower level only */
        if ((c->expect == EXPECT_RESULTS && is_large(c)) || spec_is_interface(c->spec))
            continue;
        enum status status = test_trial_run_case(c, &meaning, &reference, message);
        compared++;
        seen[c->spec - specs.specs] |= c->expect == EXPECT_RESULTS;
        if (status != STATUS_PASS && differ++ < 5)
            note("%s: %s: %s", c->name, status_name(status), message);
    }
    ok(compared > 10000 && differ == 0, "meaning and reference agree on %d of %d small cases", compared - differ,
       compared);
    for (int op = 0; op < specs.count; op++)
        missing += !seen[op] && !spec_is_interface(&specs.specs[op]);
    ok(missing == 0, "all operators have results among them, except for %d", missing);
    free(seen);
}

/* Returns true if the error was noticed: a failure, or a warning if the case is soft or holds NaNs or denormals. */
static bool test_trial_is_seen(const struct testcase *c, enum status status)
{
    return status == STATUS_FAIL || (status == STATUS_WARN && (c->soft || c->fill == FILL_SPECIAL ||
                                                               c->fill == FILL_DENORMAL || spec_computes(c->spec)));
}

/* Returns true if the documents let some elements of the operator have any value. */
static bool may_be_anything(const struct spec *spec)
{
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        if (result->overflow == OVERFLOW_OPEN)
            return true;
        for (int j = 0; j < result->choice_count; j++)
            if (result->choices[j].anything)
                return true;
    }
    return false;
}

/* Changes each input of a case between dispatch and judgement. */
static void test_forbidden_writes(void)
{
    struct arena *arena = arena_new();
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena};
    size_t tried = 0, seen = 0;
    for (size_t i = 0; i < plan.count; i += sampled_whole ? 211 : 4 * 211) {
        if (plan.cases[i].expect != EXPECT_RESULTS)
            continue;
        for (int item = -1; (item = testcase_next_tensor(&plan.cases[i], item)) >= 0;) {
            struct trial t = {.c = plan.cases[i], .seed = 1};
            assay_dispatch_result result = {.status = S_OK};
            if (!field_is_input(spec_tensor_field(t.c.spec, item)) || testcase_memory_of(&t.c, item) != item)
                continue;
            trial_prepare(&setup, &t);
            for (int j = -1; (j = testcase_next_tensor(&t.c, j)) >= 0;)
                if (field_is_output(spec_tensor_field(t.c.spec, j)))
                    memcpy(t.blocks[j].write, t.expected[j].write, t.blocks[j].size);
            t.blocks[item].write[t.blocks[item].size - 1] ^= 1;
            trial_judge(&setup, &t, &result);
            trial_finish(&setup, &t);
            tried++;
            seen += t.verdict.status == STATUS_FAIL && t.rerun_alone && strstr(t.message, "wrote the input") != NULL;
            arena_reset(arena);
        }
    }
    ok(tried > 100 && seen == tried, "a changed bit of an input is noticed: %zu of %zu", seen, tried);
    arena_free(arena);
}

/* Returns true if a wrong lowest bit of the first output may be within the tolerance. */
static bool first_may_round(const struct testcase *c)
{
    int item = -1;
    do
        item = testcase_next_tensor(c, item);
    while (item >= 0 && !field_is_output(spec_tensor_field(c->spec, item)));
    return item >= 0 && may_round(c->spec, c->spec->tensor_fields[item]);
}

/* The device has a planted error; each oracle must notice it. `small`: it is one of the lowest bit. */
static void test_planted(const char *fault, bool small)
{
    struct plugin mutant;
    struct error error = {0};
    char text[128], path[512];
    const char *folder = getenv("ASSAY_DEVICES");
    snprintf(path, sizeof path, "%s/mutants.so:fault=%s", folder ? folder : "build/devices", fault);
    snprintf(text, sizeof text, "%s", fault);
    if (!ok(plugin_open(&mutant, path, &specs, NULL, &error) == 0, "mutant %s opens %s", text, error.text))
        return;
    int cases = 0, open = 0, seen[2] = {0};
    for (size_t i = 0; i < plan.count; i += sampled_whole ? 97 : 4 * 97) {
        char message[512];
        if (plan.cases[i].expect != EXPECT_RESULTS || is_large(&plan.cases[i]) ||
            interpretation_applies(&plan.cases[i]) || (small && first_may_round(&plan.cases[i])))
            continue; /* a changed value may be right */
        bool noticed =
            test_trial_is_seen(&plan.cases[i], test_trial_run_case(&plan.cases[i], &mutant, &reference, message));
        /* in place, nothing may be left to do: x & x is x */
        if (!noticed && (may_be_anything(plan.cases[i].spec) || plan.cases[i].in_place)) {
            open++;
            continue;
        }
        if (!noticed)
            note("%s: %s is not noticed: %s", plan.cases[i].name, text, message);
        cases++;
        seen[0] += noticed;
        seen[1] += test_trial_is_seen(&plan.cases[i], test_trial_run_case(&plan.cases[i], &mutant, &meaning, message));
    }
    ok(cases > 50 && seen[0] == cases, "%s: the reference disagrees on %d of %d cases", fault, seen[0], cases);
    ok(seen[1] == cases, "%s: the meaning disagrees on %d of %d cases", fault, seen[1], cases);
    ok(open * 20 < cases, "%s: only in %d more cases any value may be right", fault, open);
    plugin_close(&mutant);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    if (spec_set_load(&specs, "specs", &error) || plan_make(&plan, &specs, "cases", &everything, &error) ||
        plugin_open_reference(&reference, &error) || plugin_open(&meaning, "meaning", &specs, builtins, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_trial_examples();
    test_distinct();
    test_meaning();
    test_forbidden_writes();
    test_planted("flip-bit", true);
    test_planted("do-nothing", false);
    plugin_close(&meaning);
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
