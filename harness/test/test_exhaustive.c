/* The cases of the tier exhaustive: the slices of an operator have every combination of bits of its inputs once. */
#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/plan/plan.h"
#include "harness/load/load.h"
#include "tools/tap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct spec_set specs;

static bool plan_exhaustive(const char *pattern, struct plan *plan)
{
    struct error error = {0};
    const char *patterns[] = {pattern};
    const struct plan_filter filter = {.patterns = patterns, .pattern_count = 1, .tier = "exhaustive", .cache = NULL};
    return ok(plan_make(plan, &specs, "cases", &filter, &error) == 0, "%s is planned %s", pattern, error.text);
}

static int first_input(const struct testcase *c)
{
    int item = testcase_next_tensor(c, -1);
    while (!field_is_input(spec_tensor_field(c->spec, item)))
        item = testcase_next_tensor(c, item);
    return item;
}

/* Returns the bits of elements `wanted` of an input; wanted[n] is replaced by the bits. */
static void bits_at(const struct testcase *c, int item, uint64_t seed, uint64_t wanted[3])
{
    const struct opdesc_tensor *t = &c->desc->items[item].tensor;
    uint8_t *memory = malloc(t->total);
    fill_input(c, seed, item, memory, t->total);
    for (int i = 0; i < 3; i++)
        wanted[i] = element_get(datatype_of(t->data_type)->bits, memory, wanted[i]);
    free(memory);
}

/* The slices follow each other from combination 0 to the last one, have one description, and are dispatched once. */
static void test_exhaustive_slices(const char *pattern, uint64_t slices, uint64_t combinations)
{
    struct plan plan;
    if (!plan_exhaustive(pattern, &plan))
        return;
    uint64_t next = 0;
    bool follow = true, alike = true;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        const struct opdesc_tensor *t = &c->desc->items[first_input(c)].tensor;
        follow &= c->first == next && c->fill == FILL_EACH && !c->dispatch_twice;
        next = c->first + (uint64_t)opdesc_elements(t);
        alike &= testcase_same_desc(c->spec, c->desc, plan.cases[0].desc);
    }
    ok(plan.count == slices, "  it has %zu slices", plan.count);
    ok(follow && next == combinations, "  they have %" PRIu64 " combinations, each once", next);
    ok(alike, "  and one description");
    plan_free(&plan);
}

static void test_exhaustive_contents(void)
{
    struct plan plan;
    if (!plan_exhaustive("element_wise_exp.exhaustive.from-7f000000.*", &plan))
        return;
    const struct testcase *c = &plan.cases[0];
    uint64_t bits[3] = {0, 0x800001, 0xffffff}, again[3] = {0, 0x800001, 0xffffff};
    bits_at(c, first_input(c), 1, bits);
    bits_at(c, first_input(c), 2, again);
    ok(bits[0] == 0x7f000000 && bits[1] == 0x7f800001 && bits[2] == 0x7fffffff, "a slice counts up from its name");
    ok(memcmp(bits, again, sizeof bits) == 0, "  whatever the seed");
    plan_free(&plan);
    if (!plan_exhaustive("element_wise_pow.exhaustive.from-42000000.*.float16-float16.*", &plan))
        return;
    c = &plan.cases[0];
    uint64_t base[3] = {0, 0x10001, 0xffffff}, exponent[3] = {0, 0x10001, 0xffffff};
    const int input = first_input(c);
    bits_at(c, input, 1, base);
    bits_at(c, testcase_next_tensor(c, input), 1, exponent);
    ok(base[0] == 0 && base[1] == 1 && base[2] == 0xffff, "of two inputs, the first counts in the low bits");
    ok(exponent[0] == 0x4200 && exponent[1] == 0x4201 && exponent[2] == 0x42ff, "  and the second above them");
    plan_free(&plan);
}

static void test_exhaustive_limits(void)
{
    struct plan plan;
    if (!plan_exhaustive("element_wise_exp.exhaustive.from-00000000.*.float16.*", &plan))
        return;
    struct testcase c = plan.cases[0];
    ok(fill_combinations(&c) == 65536 && fill_is_possible(&c), "a FLOAT16 has 65,536 patterns");
    c.first = 65536;
    ok(!fill_is_possible(&c), "no slice begins beyond them");
    plan_free(&plan);
    ok(plan_exhaustive("element_wise_pow", &plan), "a power");
    bool all = plan.count > 0;
    for (size_t i = 0; i < plan.count; i++)
        all &= fill_combinations(&plan.cases[i]) > 0;
    ok(all, "  has no slices of pairs with more than 32 bits");
    plan_free(&plan);
}

int main(void)
{
    struct error error = {0};
    if (!ok(spec_set_load(&specs, "specs", &error) == 0, "the specs load %s", error.text))
        return tap_done();
    test_exhaustive_slices("element_wise_exp.exhaustive.*.float32.*", 256, (uint64_t)1 << 32);
    test_exhaustive_slices("element_wise_exp.exhaustive.*.float16.*", 1, 1 << 16);
    test_exhaustive_slices("cast.exhaustive.*.float32-int64.*", 512, (uint64_t)1 << 32);
    test_exhaustive_slices("element_wise_atan_yx.exhaustive", 256, (uint64_t)1 << 32);
    test_exhaustive_contents();
    test_exhaustive_limits();
    spec_set_free(&specs);
    return tap_done();
}
