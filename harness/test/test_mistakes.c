/* The test makes each mistake of the table in operators with a few cases: its explanation must be found. The test
 * prints the share that is found of each mistake and of all. It tries one in WHOLE pairs of a mistake and an operator,
 * in a sample one in SAMPLE; with MISTAKES_ALL=1, each pair. */
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/explain.h"
#include "harness/trial/mistake.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <stdlib.h>

enum { CASES = 8, WHOLE = 24, SAMPLE = 192, MISTAKES_MAX = 256, OPERATORS_MAX = 256, ENOUGH = 85 };

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;

/* A share counts pairs of a mistake and an operator by their outcome. */
struct share {
    int made, named, wrong;
};

static struct share shares[MISTAKES_MAX];

/* Makes the mistake in a case, and diagnoses the outputs. Returns false if the mistake cannot be made, or if the case
 * passes all the same. */
static bool diagnose_mistake(const struct testcase *c, const struct mistake *m, struct diagnosis *diagnosis)
{
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena_new()};
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    assay_dispatch_result result = {.status = S_OK};
    const uint8_t *inputs[OPDESC_MAX_TENSORS] = {0};
    uint8_t *outputs[OPDESC_MAX_TENSORS] = {0};
    bool made = false;
    trial_prepare(&setup, &t);
    for (int i = -1; !t.judged && (i = testcase_next_tensor(&t.c, i)) >= 0;) {
        inputs[i] = t.blocks[i].write;
        outputs[i] = t.blocks[i].write;
    }
    if (!t.judged) {
        const struct mistake_case of = {c->spec, c->desc, &reference, inputs, outputs};
        made = mistake_apply(&of, m, -1);
    }
    if (made)
        trial_judge(&setup, &t, &result);
    *diagnosis = t.symptoms.diagnosis;
    trial_finish(&setup, &t);
    arena_free(setup.arena);
    return made && diagnosis->given;
}

/* Returns true for one in so many pairs, always the same ones. */
static bool mistakes_is_wanted(int operator_number, int mistake)
{
    uint32_t hash = (uint32_t)operator_number * 2654435761u + (uint32_t)mistake * 40503u;
    return getenv("MISTAKES_ALL") != NULL || (hash >> 16) % (sampled_whole ? WHOLE : SAMPLE) == 0;
}

static void try_pair(const struct testcase *const *cases, int count, const struct mistake *m)
{
    struct share *share = &shares[m - mistakes];
    struct diagnosis diagnosis;
    explanation_set found = {{0}};
    bool made = false, named = false;
    char text[EXPLANATIONS_SIZE];
    for (int i = 0; i < count && !named; i++) {
        if (!diagnose_mistake(cases[i], m, &diagnosis))
            continue;
        made = true;
        for (int e = 0; e < EXPLAIN_COUNT; e++)
            if (explanation_is_in(&diagnosis.explanations, (enum explanation)e))
                explanation_add(&found, (enum explanation)e);
        named = explanation_is_in(&diagnosis.explanations, m->explanation);
    }
    share->made += made;
    share->named += named;
    const bool some = !explanations_are_none(&found);
    share->wrong += made && !named && some;
    const struct diagnosis of = {.explanations = found};
    if (made && !named)
        note("%s in %s: %s", m->name, cases[0]->spec->name, some ? explanations_print(&of, text) : "unexplained");
}

/* Chooses the first small cases of an operator from strategies of all kinds. Returns their number. */
static int choose_cases(const struct spec *spec, const struct testcase *chosen[CASES])
{
    int count = 0;
    size_t seen = 0;
    for (size_t i = 0; i < plan.count && count < CASES; i++) {
        const struct testcase *c = &plan.cases[i];
        uint64_t bytes = 0;
        if (c->spec != spec || c->expect != EXPECT_RESULTS || c->in_place || c->rule >= 0)
            continue;
        for (int n = -1; (n = testcase_next_tensor(c, n)) >= 0;)
            bytes += c->desc->items[n].tensor.total;
        if (bytes > 64 && bytes < 20000 && seen++ % 5 == 0)
            chosen[count++] = c;
    }
    return count;
}

static void print_shares(void)
{
    struct share all = {0};
    for (int i = 0; i < mistake_count; i++) {
        if (shares[i].made)
            note("%-28s %3d of %3d operators, %d by another name", mistakes[i].name, shares[i].named, shares[i].made,
                 shares[i].wrong);
        all.made += shares[i].made;
        all.named += shares[i].named;
        all.wrong += shares[i].wrong;
    }
    note("%d of %d mistakes in operators are named (%d %%), %d only by another name", all.named, all.made,
         all.made ? 100 * all.named / all.made : 0, all.wrong);
    ok(all.made > 0 && 100 * all.named >= ENOUGH * all.made, "%d %% of the mistakes are named", ENOUGH);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct plan_filter filter = {.cache = kept_plan()};
    struct error error = {0};
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &filter, &error) ||
        plugin_open_reference(&reference, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    ok(mistake_count <= MISTAKES_MAX && mistake_find("step-missing") && !mistake_find("step"), "mistakes have names");
    for (int o = 0; o < specs.count; o++) {
        const struct testcase *cases[CASES];
        int count = choose_cases(&specs.specs[o], cases);
        for (int m = 0; m < mistake_count && count > 0; m++)
            if (mistakes_is_wanted(o, m))
                try_pair(cases, count, &mistakes[m]);
    }
    print_shares();
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
