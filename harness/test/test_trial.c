/* Trials: the worked examples pass, and fail when any expected element is altered; the Lua meaning and the C reference
 * agree on every small case, and both disagree with a planted error. */
#include "harness/spec/check.h"
#include "harness/cli/builtins.h"
#include "harness/case/plan.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;
static struct plugin reference, meaning;

/* Runs one case in this process. */
static enum status run_case(const struct testcase *c, struct plugin *device, struct plugin *oracle, char message[512])
{
    static struct arena *arena;
    struct trial_setup setup = {.device = device, .reference = oracle};
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    arena = arena ? arena : arena_new();
    setup.arena = arena;
    trial_prepare(&setup, &t);
    if (!t.judged) {
        assay_dispatch_item item = {t.objects.compiled, t.inputs, t.outputs, (uint32_t)t.input_count,
                                    (uint32_t)t.output_count};
        assay_dispatch_result result = {.status = E_FAIL};
        HRESULT status = device->api->dispatch(device->device, &item, 1, &result);
        if (FAILED(status))
            result.status = status;
        trial_judge(&setup, &t, &result);
    }
    trial_finish(&setup, &t);
    arena_reset(arena);
    memcpy(message, t.message, sizeof t.message);
    return t.status;
}

/* Whether the case is said to contradict the reference device with one bit of element `element` of output `field`
 * changed. */
static int altered_contradicts(const struct testcase *c, int field, uint32_t element)
{
    size_t bytes = c->literals[field].data ? 4 : 0; /* FLOAT32 and UINT32 */
    uint8_t *at = (uint8_t *)(uintptr_t)c->literals[field].data + element * bytes;
    char message[512];
    at[3] ^= 1;
    enum status status = run_case(c, &reference, &reference, message);
    at[3] ^= 1;
    return status == STATUS_HARNESS_ERROR && strstr(message, "the documented outputs contradict the reference");
}

static void test_examples(void)
{
    int examples = 0, elements = 0, missed = 0, failed = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        char message[512];
        if (strcmp(c->strategy, "examples") != 0)
            continue;
        examples++;
        enum status status = run_case(c, &reference, &reference, message);
        if (status != STATUS_PASS) {
            failed++;
            note("%s: %s: %s", c->name, status_name(status), message);
        }
        for (int field = 0; c->literals && c->expect == EXPECT_RESULTS && field < c->spec->field_count; field++) {
            if (!field_is_output(&c->spec->fields[field]))
                continue;
            for (uint32_t e = 0; e < c->literals[field].count; e++, elements++)
                if (!altered_contradicts(c, field, e)) {
                    missed++;
                    note("%s: altering element %u of output %d goes unnoticed", c->name, e, field);
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
    for (int i = 0; i < c->spec->field_count; i++)
        if (field_is_tensor(&c->spec->fields[i]) && opdesc_elements(OPDESC_TENSOR(c->desc, i)) > 2000)
            return true;
    return false;
}

static void test_meaning(void)
{
    int compared = 0, differ = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        char message[512];
        if (c->expect == EXPECT_REJECTED && rules_check(c->spec, c->desc, DML_FEATURE_LEVEL_6_4, NULL, 0) == 0)
            continue; /* rejected by devices of a lower level only */
        if (c->expect == EXPECT_RESULTS && is_large(c))
            continue;
        enum status status = run_case(c, &meaning, &reference, message);
        compared++;
        if (status != STATUS_PASS && differ++ < 5)
            note("%s: %s: %s", c->name, status_name(status), message);
    }
    ok(compared > 10000 && differ == 0, "meaning and reference agree on %d of %d small cases", compared - differ,
       compared);
}

/* Whether the error was noticed: a failure, or a warning if the case is soft or holds NaNs or denormals. */
static bool is_seen(const struct testcase *c, enum status status)
{
    return status == STATUS_FAIL ||
           (status == STATUS_WARN && (c->soft || c->fill == FILL_SPECIAL || c->fill == FILL_DENORMAL));
}

/* Changes each input of a case between dispatch and judgement. */
static void test_forbidden_writes(void)
{
    struct arena *arena = arena_new();
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena};
    size_t tried = 0, seen = 0;
    for (size_t i = 0; i < plan.count; i += 211) {
        if (plan.cases[i].expect != EXPECT_RESULTS)
            continue;
        for (int field = 0; field < plan.cases[i].spec->field_count; field++) {
            struct trial t = {.c = plan.cases[i], .seed = 1};
            assay_dispatch_result result = {.status = S_OK};
            if (!field_is_input(&t.c.spec->fields[field]))
                continue;
            trial_prepare(&setup, &t);
            for (int j = 0; j < t.c.spec->field_count; j++)
                if (field_is_output(&t.c.spec->fields[j]))
                    memcpy(t.blocks[j].write, t.expected[j].write, t.blocks[j].size);
            t.blocks[field].write[t.blocks[field].size - 1] ^= 1;
            trial_judge(&setup, &t, &result);
            trial_finish(&setup, &t);
            tried++;
            seen += t.status == STATUS_FAIL && t.rerun_alone && strstr(t.message, "wrote the input") != NULL;
            arena_reset(arena);
        }
    }
    ok(tried > 100 && seen == tried, "a changed bit of an input is noticed: %zu of %zu", seen, tried);
    arena_free(arena);
}

/* The device has a planted error; each oracle must notice it. */
static void test_planted(const char *fault)
{
    struct plugin mutant;
    struct error error = {0};
    char text[128], path[512];
    const char *folder = getenv("ASSAY_DEVICES");
    snprintf(path, sizeof path, "%s/mutants.so:fault=%s", folder ? folder : "build/devices", fault);
    snprintf(text, sizeof text, "%s", fault);
    if (!ok(plugin_open(&mutant, path, &specs, NULL, &error) == 0, "mutant %s opens %s", text, error.text))
        return;
    int cases = 0, seen[2] = {0};
    for (size_t i = 0; i < plan.count; i += 97) {
        char message[512];
        if (plan.cases[i].expect != EXPECT_RESULTS || interpretation_applies(&plan.cases[i]))
            continue; /* open results: a changed value may be right */
        cases++;
        seen[0] += is_seen(&plan.cases[i], run_case(&plan.cases[i], &mutant, &reference, message));
        seen[1] += is_seen(&plan.cases[i], run_case(&plan.cases[i], &mutant, &meaning, message));
    }
    ok(cases > 50 && seen[0] == cases, "%s: the reference disagrees on %d of %d cases", fault, seen[0], cases);
    ok(seen[1] == cases, "%s: the meaning disagrees on %d of %d cases", fault, seen[1], cases);
    plugin_close(&mutant);
}

int main(void)
{
    struct plan_filter everything = {0};
    struct error error = {0};
    if (spec_set_load(&specs, "specs", &error) || plan_make(&plan, &specs, "cases", &everything, &error) ||
        plugin_open_reference(&reference, &error) || plugin_open(&meaning, "meaning", &specs, builtins, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_examples();
    test_distinct();
    test_meaning();
    test_forbidden_writes();
    test_planted("flip-bit");
    test_planted("do-nothing");
    plugin_close(&meaning);
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
