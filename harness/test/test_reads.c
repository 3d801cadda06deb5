/* The elements of inputs that an element of an output reads: changing all others never changes it. */
#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/plan/plan.h"
#include "harness/spec/elements.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/computed.h"
#include "harness/trial/plugin.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { EACH = 29, SAMPLE = 60 * EACH /* one case of the plan in so many is tried */ };

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;

/* The element of an output that the random number chooses. */
struct chosen {
    uint64_t number, offset;
    uint32_t coordinates[OPDESC_MAX_DIMENSIONS];
};

static bool choose(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct chosen *c = context;
    if (number < c->number)
        return true;
    memcpy(c->coordinates, coordinates, sizeof c->coordinates);
    c->offset = offset;
    return false;
}

/* Returns the number of elements of inputs that an element of an output reads; -1 if a change of the others changes
 * it; -2 if they cannot be told. */
static int64_t reads(const struct trial *t, int output)
{
    const struct testcase *c = &t->c;
    const struct opdesc_tensor *tensor = &c->desc->items[output].tensor;
    const uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    uint8_t *changed[OPDESC_MAX_TENSORS] = {0};
    struct computed_reads found;
    struct chosen chosen = {.number = random_mix(t->seed) % (uint64_t)opdesc_elements(tensor)};
    int64_t count = 0;
    elements_each(tensor, choose, &chosen);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        tensors[i] = field_is_input(spec_tensor_field(c->spec, i)) ? t->blocks[i].write : t->expected[i].write;
    if (!computed_reads_find(c->spec, c->desc, tensors, output, chosen.coordinates, &found))
        count = -2;
    for (int i = -1; count >= 0 && (i = testcase_next_tensor(c, i)) >= 0;) {
        const unsigned width = datatype_of(c->desc->items[i].tensor.data_type)->bits;
        changed[i] = malloc(c->desc->items[i].tensor.total);
        if (!changed[i])
            abort();
        memcpy(changed[i], tensors[i], c->desc->items[i].tensor.total);
        for (uint64_t n = 0; field_is_input(spec_tensor_field(c->spec, i)) && n < found.counts[i]; n++) {
            count += found.marks[i][n];
            if (!found.marks[i][n])
                element_put(width, changed[i], n, element_get(width, changed[i], n) ^ 1);
        }
    }
    if (count >= 0) {
        const unsigned width = datatype_of(tensor->data_type)->bits;
        computed_run(c->spec, c->desc, changed);
        if (element_get(width, changed[output], chosen.offset) != element_get(width, tensors[output], chosen.offset))
            count = -1;
    }
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(changed[i]);
    computed_reads_free(&found);
    return count;
}

static void test_reads(void)
{
    unsigned tried = 0, none = 0, wrong = 0, unknown = 0;
    static struct arena *arena;
    for (size_t i = 0; i < plan.count; i += sampled_whole ? EACH : SAMPLE) {
        const struct testcase *c = &plan.cases[i];
        struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
        struct trial_setup setup = {.device = &reference, .reference = &reference};
        if (c->expect != EXPECT_RESULTS || !computed_applies(c->spec))
            continue;
        arena = arena ? arena : arena_new();
        setup.arena = arena;
        trial_prepare(&setup, &t);
        for (int n = -1; !t.judged && (n = testcase_next_tensor(c, n)) >= 0;) {
            if (!field_is_output(spec_tensor_field(c->spec, n)))
                continue;
            const int64_t count = reads(&t, n);
            tried++;
            none += count == 0;
            unknown += count == -2;
            wrong += count == -1;
            if (count == -1)
                note("%s: %s depends on other elements, too", c->name, c->spec->tensor_names[n]);
        }
        trial_finish(&setup, &t);
        arena_reset(arena);
    }
    ok(tried > (sampled_whole ? 3000 : 50) && wrong == 0,
       "%u elements of outputs depend on no other elements than they are said to read, but for %u", tried, wrong);
    ok(none < tried / 4 && unknown < tried / 20, "%u of them read nothing, and of %u it cannot be told", none, unknown);
}

int main(int argc, char **argv)
{
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    sampled_begin(argc, argv);
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &everything, &error) ||
        plugin_open_reference(&reference, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_reads();
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
