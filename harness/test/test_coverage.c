/* Interaction coverage: kinds of strides, proofs that never refute an existing case, and holes made on purpose. */
#include "harness/plan/coverage.h"
#include "harness/test/kept.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;

static void test_strides(void)
{
    static const struct {
        enum stride_class class;
        uint32_t sizes[3], strides[3];
    } cases[] = {{STRIDES_PACKED, {2, 3, 4}, {12, 4, 1}},   {STRIDES_PACKED, {1, 3, 4}, {0, 4, 1}},
                 {STRIDES_PADDED, {2, 3, 4}, {13, 4, 1}},   {STRIDES_PADDED, {1, 1, 4}, {7, 7, 2}},
                 {STRIDES_PERMUTED, {2, 3, 4}, {1, 2, 6}},  {STRIDES_PERMUTED, {1, 3, 4}, {9, 1, 3}},
                 {STRIDES_BROADCAST, {2, 3, 4}, {0, 4, 1}}, {STRIDES_BROADCAST, {2, 3, 4}, {12, 0, 0}},
                 {STRIDES_COUNT, {2, 3, 4}, {1, 1, 1}}};
    struct opdesc_tensor t = {.present = true, .has_sizes = true, .dims = 3};
    ok(factor_strides(&t) == STRIDES_NULL, "no strides");
    t.has_strides = true;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(t.sizes, cases[i].sizes, sizeof cases[i].sizes);
        memcpy(t.strides, cases[i].strides, sizeof cases[i].strides);
        int expected = cases[i].class == STRIDES_COUNT ? -1 : (int)cases[i].class, got = factor_strides(&t);
        ok(got == expected, "strides {%u,%u,%u} of {%u,%u,%u} are %s", t.strides[0], t.strides[1], t.strides[2],
           t.sizes[0], t.sizes[1], t.sizes[2], expected < 0 ? "of no kind" : stride_names[expected]);
    }
}

/* solve_refute() must not refute a request for the values of a case. */
static void test_proofs(void)
{
    size_t legal = 0, refuted = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        struct solve_request request;
        if (c->expect >= EXPECT_EITHER)
            continue;
        solve_request_init(&request);
        request.table = c->table;
        for (int f = 0; f < c->spec->field_count; f++) {
            if (!field_is_tensor(&c->spec->fields[f]))
                continue;
            const struct opdesc_tensor *t = OPDESC_TENSOR(c->desc, f);
            int class = factor_strides(t);
            request.strides[f] = (uint8_t)(class < 0 ? STRIDES_NULL : class);
            request.types[c->spec->fields[f].group] = (int)t->data_type;
        }
        /* Half of the requests have no parameters, so that the proof tries their values. */
        for (int p = 0; p < c->spec->parameter_count && i % 2; p++)
            if (!expr_number(c->spec->nodes, c->spec->parameters[p].node, c->desc, &request.parameters[p]))
                request.parameters[p] = -1;
        legal++;
        if (solve_refute(c->spec, &request)) {
            note("refuted: %s", c->name);
            refuted++;
        }
    }
    ok(refuted == 0 && legal > 1000, "none of %zu legal cases is refuted", legal);
}

/* Returns true if no description has these parameters: 1 or 0 in `values` for each letter of `names`. */
static bool is_refuted(const struct spec *spec, const char *names, const char *values)
{
    struct solve_request request;
    solve_request_init(&request);
    for (int p = 0; p < spec->parameter_count; p++) {
        const char *found = strstr(names, spec->parameters[p].name);
        if (found)
            request.parameters[p] = values[found - names] - '0';
    }
    return solve_refute(spec, &request);
}

/* An output needs an input, and one of two outputs must be given. */
static void test_given(void)
{
    const struct spec *spec = &specs.specs[spec_set_find(&specs, "ROI_ALIGN_GRAD")];
    ok(is_refuted(spec, "gb", "00"), "one of two tensors must be given");
    ok(is_refuted(spec, "ib", "01"), "a tensor needs another one");
    ok(is_refuted(spec, "ig", "00"), "a tensor needs another one, whichever of two is given");
    ok(!is_refuted(spec, "igb", "010") && !is_refuted(spec, "igb", "111"), "other requests are possible");
}

/* Returns the most elements that the stages of a case of the strategy parts have. Each pair that the strategy looks at
 * computes them twice. */
static uint64_t most_staged(void)
{
    uint64_t most = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        const uint64_t staged = strstr(c->name, ".parts.") ? computed_stage_elements(c->spec, c->desc, 0) : 0;
        most = staged > most ? staged : most;
    }
    return most;
}

/* Measures the operator without the cases for which `has` is true. */
static void measure_without(const struct spec *spec, bool (*has)(const struct testcase *c), struct coverage *out)
{
    struct error error = {0};
    struct plan less = {.cases = calloc(plan.count, sizeof *less.cases)};
    for (size_t i = 0; i < plan.count; i++)
        if (plan.cases[i].spec != spec || !has(&plan.cases[i]))
            less.cases[less.count++] = plan.cases[i];
    ok(coverage_measure(out, &specs, (int)(spec - specs.specs), &less, &error) == 0, "measured %s", error.text);
    coverage_free(out); /* the counts of situations, which no test here reads */
    free(less.cases);
}

static bool is_none(const struct testcase *c)
{
    (void)c;
    return false;
}

/* FLOAT16 in 5 dimensions. */
static bool is_pair(const struct testcase *c)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(c->desc, 0);
    return t->data_type == DML_TENSOR_DATA_TYPE_FLOAT16 && t->dims == 5;
}

/* The same, with null strides. */
static bool is_triple(const struct testcase *c)
{
    return is_pair(c) && !OPDESC_TENSOR(c->desc, 0)->has_strides;
}

static bool test_coverage_is_legal(const struct testcase *c)
{
    return c->expect < EXPECT_EITHER;
}

static bool has_hole(const struct coverage *c, const struct coverage_figure *figure, const char *wanted)
{
    char text[256];
    for (int i = 0; i < figure->hole_count; i++) {
        coverage_describe(c, figure, &figure->holes[i], text, sizeof text);
        if (strcmp(text, wanted) == 0 && !figure->holes[i].undecided)
            return true;
    }
    return false;
}

/* Without some cases, the combinations that only they have are missed. */
static void test_holes(void)
{
    const struct spec *spec = &specs.specs[spec_set_find(&specs, "GATHER_ELEMENTS")];
    struct coverage all, less;
    measure_without(spec, is_none, &all);
    measure_without(spec, is_pair, &less);
    ok(!has_hole(&all, &all.pairs, "data FLOAT16, d 5") && has_hole(&less, &less.pairs, "data FLOAT16, d 5"),
       "a pair is missed without its cases");
    ok(less.pairs.covered + less.pairs.missed == all.pairs.covered + all.pairs.missed && less.pairs.missed < 20,
       "and few other pairs: %d", (int)less.pairs.missed);
    ok(coverage_share(&less.pairs) < 10000 && coverage_share(&less.pairs) > 9500, "and the share is below 100 %%");
    ok(less.triples.missed > all.triples.missed &&
           coverage_combinable(&less.triples) == coverage_combinable(&all.triples),
       "its triples are missed, too, and none is called impossible");
    measure_without(spec, is_triple, &less);
    ok(!has_hole(&less, &less.pairs, "data FLOAT16, d 5"),
       "without the cases of a triple, its pairs are still covered");
    ok(has_hole(&less, &less.triples, "data FLOAT16, d 5, InputTensor null"), "and the triple is missed");
    measure_without(spec, test_coverage_is_legal, &less);
    ok(less.pairs.covered == 0 && less.triples.covered == 0, "cases that must be rejected do not count");
    ok(coverage_combinable(&less.pairs) == coverage_combinable(&all.pairs),
       "and without cases as many combinations are possible");
}

int main(void)
{
    struct plan_filter all = {.cache = kept_plan()};
    struct error error = {0};
    test_strides();
    if (!ok(kept_specs(&specs, &error) == 0 && plan_make(&plan, &specs, "cases", &all, &error) == 0, "planned %s",
            error.text))
        return tap_done();
    test_proofs();
    test_given();
    const uint64_t most = most_staged();
    ok(most > 1000 && most <= 12288, "stages of pairs are small: %llu elements", (unsigned long long)most);
    test_holes();
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
