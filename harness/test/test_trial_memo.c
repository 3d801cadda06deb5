/* Trials of cases that are repeated: with the memo's contents, the device finds the same inputs and outputs, and the
 * verdict is the same. */
#include "harness/base/random.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { EACH = 149, SAMPLE = 4 * EACH /* one case of the plan in so many is tried */ };

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;
static struct trial_memo *memo;

/* The results of a trial. */
struct ending {
    enum status status;
    unsigned outcome, dispatches, recalled;
    uint64_t tensors; /* a hash of all inputs, expected outputs, and outputs before each dispatch */
    uint64_t checksum;
};

static void hash_tensors(const struct trial *t, struct ending *e)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
        e->tensors = XXH3_64bits_withSeed(t->blocks[i].read, t->blocks[i].size, e->tensors);
        e->tensors = random_mix(e->tensors + t->input_hashes[i]);
        if (field_is_output(spec_tensor_field(t->c.spec, i)))
            e->tensors = XXH3_64bits_withSeed(t->expected[i].write, t->expected[i].size, e->tensors);
    }
}

/* Flips a bit of the first output that has bytes. */
static void flip(const struct trial *t)
{
    for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(t->c.spec, i)) && t->blocks[i].size > 0) {
            t->blocks[i].write[t->blocks[i].size - 1] ^= 0x40;
            return;
        }
}

static void test_trial_memo_dispatch(struct trial_setup *setup, struct trial *t, bool wrong, struct ending *e)
{
    assay_dispatch_item item = {t->objects.compiled, t->inputs, t->outputs, (uint32_t)t->input_count,
                                (uint32_t)t->output_count};
    assay_dispatch_result result = {.status = E_FAIL};
    hash_tensors(t, e);
    e->dispatches++;
    HRESULT status = reference.api->dispatch(reference.device, &item, 1, &result);
    if (FAILED(status))
        result.status = status;
    if (wrong)
        flip(t);
    trial_judge(setup, t, &result);
}

static const struct trial_memo_entry *test_trial_memo_kept(const struct trial *t, uint64_t seed)
{
    const struct trial_memo_key key = {t->key.low, t->key.high, seed};
    return trial_memo_find(memo, &key);
}

static struct ending test_trial_memo_run_case(const struct testcase *c, bool remembers, bool wrong)
{
    static struct arena *arena;
    static _Alignas(16) char bytes[1 << 20];
    struct trial_setup setup = {
        .device = &reference, .reference = &reference, .memo = remembers ? memo : NULL, .unexplained = true};
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    struct ending e = {.dispatches = 0};
    size_t size = testcase_encode(c, specs.specs, t.seed, bytes, sizeof bytes);
    arena = arena ? arena : arena_new();
    setup.arena = arena;
    if (size <= sizeof bytes)
        t.key = trial_memo_key_of(bytes, size);
    e.recalled = remembers && test_trial_memo_kept(&t, t.seed);
    trial_prepare(&setup, &t);
    if (!t.judged)
        test_trial_memo_dispatch(&setup, &t, wrong, &e);
    if (trial_prepare_second(&setup, &t))
        test_trial_memo_dispatch(&setup, &t, wrong, &e);
    trial_finish(&setup, &t);
    arena_reset(arena);
    e.status = t.verdict.status;
    e.outcome = t.verdict.outcome;
    e.checksum = t.verdict.checksum;
    return e;
}

static bool same(const struct ending *a, const struct ending *b)
{
    return a->status == b->status && a->outcome == b->outcome && a->dispatches == b->dispatches &&
           a->tensors == b->tensors && a->checksum == b->checksum;
}

/* Returns true if the memo keeps the case: its tensors are small. */
static bool test_trial_memo_is_small(const struct testcase *c)
{
    uint64_t bytes = 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        bytes += c->desc->items[i].tensor.total;
    return bytes < 8192;
}

static void test_repeated(void)
{
    unsigned cases = 0, twice = 0, recalled = 0, as_before = 0, as_without = 0, wrong = 0, noticed = 0;
    for (size_t i = 0; i < plan.count; i += sampled_whole ? EACH : SAMPLE) {
        const struct testcase *c = &plan.cases[i];
        if (!test_trial_memo_is_small(c))
            continue;
        struct ending without = test_trial_memo_run_case(c, false, false),
                      first = test_trial_memo_run_case(c, true, false);
        struct ending again = test_trial_memo_run_case(c, true, false);
        if (without.dispatches == 0)
            continue;
        cases++;
        twice += without.dispatches > 1;
        recalled += again.recalled;
        as_without += same(&without, &first);
        as_before += same(&first, &again);
        struct ending bad = test_trial_memo_run_case(c, false, true),
                      bad_again = test_trial_memo_run_case(c, true, true);
        wrong += bad.status != STATUS_PASS;
        noticed += bad.status != STATUS_PASS && same(&bad, &bad_again);
        trial_memo_trim(memo);
    }
    ok(cases > (sampled_whole ? 400 : 100) && twice > (sampled_whole ? 40 : 10),
       "%u cases, %u of them dispatched twice", cases, twice);
    ok(as_without == cases, "the first attempt is as without a memo: %u", as_without);
    ok(recalled == cases, "the second one is recalled: %u", recalled);
    ok(as_before == cases, "  with the same tensors, and ends in the same way: %u", as_before);
    ok(wrong > cases / 2 && noticed == wrong, "wrong outputs of another attempt are noticed as ever: %u of %u", noticed,
       wrong);
}

/* A case with other contents is another case, and so is one without a key. */
static void test_keys(void)
{
    const struct testcase *c = plan.cases;
    char bytes[2][65536];
    while (c->expect != EXPECT_RESULTS || testcase_has_outputs(c))
        c++;
    size_t size = testcase_encode(c, specs.specs, 1, bytes[0], sizeof bytes[0]);
    testcase_encode(c, specs.specs, 2, bytes[1], sizeof bytes[1]);
    const struct trial_memo_key one = trial_memo_key_of(bytes[0], size), two = trial_memo_key_of(bytes[1], size);
    ok(one.low != two.low && one.high != two.high, "two seeds have two keys");
    /* The members of the copy are those of the case; the padding between them is not. */
    struct testcase copy = *c;
    memset(&copy.tolerance, 0xa5, sizeof copy.tolerance);
    copy.tolerance.given = c->tolerance.given;
    copy.tolerance.absolute = c->tolerance.absolute;
    copy.tolerance.relative = c->tolerance.relative;
    copy.tolerance.ulps = c->tolerance.ulps;
    testcase_encode(&copy, specs.specs, 1, bytes[1], sizeof bytes[1]);
    ok(memcmp(bytes[0], bytes[1], size) == 0, "equal cases have equal bytes");
    const struct trial_memo_key none = {0};
    ok(trial_memo_find(memo, &none) == NULL, "a case without a key is not kept");
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &everything, &error) ||
        plugin_open_reference(&reference, &error) || !(memo = trial_memo_new())) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_repeated();
    test_keys();
    trial_memo_free(memo);
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
