/* Cases in which an input has the memory of an output: the planned ones, the bindings of their tensors, their
 * judgement, and the encoded cases that are refused. */
#include "harness/case/fill.h"
#include "harness/plan/plan.h"
#include "harness/spec/catalogue.h"
#include "harness/test/kept.h"
#include "harness/trial/computed.h"
#include "harness/trial/explain.h"
#include "harness/trial/trial.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;
static struct arena *arena;

static uint32_t allowed(const struct spec *spec)
{
    return spec->catalogue->operators[spec->type - 1].in_place;
}

/* ---- the plan */

static void test_plan(void)
{
    size_t shared = 0, faulty = 0, unsupported = 0, lacking = 0, untested = 0, elsewhere = 0;
    uint32_t *seen = calloc((size_t)specs.count, sizeof *seen);
    uint32_t *together = calloc((size_t)specs.count, sizeof *together);
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        int op = (int)(c->spec - specs.specs), inputs = 0;
        elsewhere += !c->in_place != (strcmp(c->strategy, "in_place") != 0);
        if (!c->in_place)
            continue;
        shared++;
        faulty += testcase_in_place_fault(c) != NULL;
        unsupported += !allowed(c->spec);
        untested += c->rule < 0 || strcmp(c->spec->rules[c->rule].id, "in-place") != 0;
        for (int item = -1; (item = testcase_next_tensor(c, item)) >= 0;)
            if (testcase_output_of(c, item) >= 0) {
                seen[op] |= 1u << c->spec->tensor_fields[item];
                inputs++;
            }
        together[op] += inputs > 1;
    }
    for (int op = 0; op < specs.count; op++) {
        const struct spec *spec = &specs.specs[op];
        bool several = spec->catalogue->operators[spec->type - 1].in_place_together;
        if (seen[op] != allowed(spec) || (together[op] > 0) != several ||
            (spec_find_rule(spec, "in-place") >= 0) != (allowed(spec) != 0)) {
            lacking++;
            note("%s: inputs %x of %x, %u cases of several", spec->name, seen[op], allowed(spec), together[op]);
        }
    }
    ok(shared > 500 && shared < 1500, "%zu cases are bound in place", shared);
    free(seen);
    free(together);
    ok(elsewhere == 0, "all of the strategy in_place, and no other case");
    ok(faulty == 0, "their tensors agree in type and layout");
    ok(unsupported == 0, "no operator has them that does not support it");
    ok(lacking == 0,
       "each input that may have the memory of an output has it in some case; several at once where they may");
    ok(untested == 0, "they test the behaviour in-place");
}

/* Some operators support it by the documents. */
static void test_in_place_catalogue(void)
{
    static const struct {
        const char *name;
        uint32_t inputs;
        bool together;
    } known[] = {{"ELEMENT_WISE_ADD", 3, true},
                 {"ELEMENT_WISE_SUBTRACT", 3, false},
                 {"ELEMENT_WISE_POW", 1, false},
                 {"ELEMENT_WISE_ABS", 1, false},
                 {"ELEMENT_WISE_IF", 0, false},
                 {"ELEMENT_WISE_IS_INFINITY", 0, false},
                 {"CAST", 0, false},
                 {"GATHER", 0, false},
                 {"ELEMENT_WISE_CLIP_GRAD", 1, false},
                 {"ELEMENT_WISE_BIT_COUNT", 0, false}};
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct spec *spec = &specs.specs[spec_set_find(&specs, known[i].name)];
        if (allowed(spec) != known[i].inputs ||
            spec->catalogue->operators[spec->type - 1].in_place_together != known[i].together) {
            wrong++;
            note("%s: %x", known[i].name, allowed(spec));
        }
    }
    ok(wrong == 0, "the catalogue knows which inputs may have the memory of the output");
}

/* ---- encoded cases */

static const struct testcase *test_in_place_find_case(const char *start)
{
    for (size_t i = 0; i < plan.count; i++)
        if (strncmp(plan.cases[i].name, start, strlen(start)) == 0)
            return &plan.cases[i];
    ok(0, "no case is named %s", start);
    exit(tap_done());
}

/* Returns true if a case with this `in_place` is decoded. */
static bool is_decoded(const struct testcase *c, int item, int output)
{
    static _Alignas(16) char bytes[65536];
    struct literal literals[OPDESC_MAX_TENSORS];
    struct in_place in_place;
    struct testcase changed = *c, back;
    uint64_t seed;
    memset(&in_place, -1, sizeof in_place);
    in_place.output[item] = (int8_t)output;
    changed.in_place = &in_place;
    size_t size = testcase_encode(&changed, specs.specs, 0, bytes, sizeof bytes);
    return size <= sizeof bytes && testcase_decode(bytes, size, specs.specs, specs.count, &back, literals, NULL, &seed);
}

static void test_decoding(void)
{
    const struct testcase *add = test_in_place_find_case("element_wise_subtract.in_place.ATensor.fl5_1.float32");
    ok(is_decoded(add, 0, 2) && is_decoded(add, 1, 2), "an input in the memory of the output is decoded");
    ok(!is_decoded(add, 0, 1) && !is_decoded(add, 2, 2) && !is_decoded(add, 2, 0),
       "other pairs of tensors are refused");
    ok(!is_decoded(add, 0, 3) && !is_decoded(add, 0, 127) && !is_decoded(add, 0, -2) && !is_decoded(add, 7, 2),
       "and tensors that the operator does not have");
    ok(!is_decoded(test_in_place_find_case("element_wise_pow.in_place.InputTensor.fl3_0.int16-int16.d"), 1, 2),
       "and an input that may not");
    ok(!is_decoded(test_in_place_find_case("gather.examples"), 0, 2), "and an operator that does not support it");
    ok(!is_decoded(test_in_place_find_case("element_wise_abs.strides.padded-InputTensor"), 0, 1),
       "and tensors of other strides");
}

/* ---- trials */

/* The ways in which a device treats the tensors of a case, instead of the reference device. */
typedef void device_act(struct trial *t);

static struct trial test_in_place_run(const struct testcase *c, device_act *act)
{
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena};
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    assay_dispatch_result result = {.status = S_OK};
    trial_prepare(&setup, &t);
    assay_dispatch_item item = {t.objects.compiled, t.inputs, t.outputs, (uint32_t)t.input_count,
                                (uint32_t)t.output_count};
    if (!t.judged && act)
        act(&t);
    else if (!t.judged)
        reference.api->dispatch(reference.device, &item, 1, &result);
    if (!t.judged)
        trial_judge(&setup, &t, &result);
    trial_finish(&setup, &t);
    return t;
}

static int test_in_place_output_of(const struct trial *t)
{
    int item = 0;
    while (!field_is_output(spec_tensor_field(t->c.spec, item)))
        item++;
    return item;
}

static bool bound_well;

/* Returns true if the binding lies outside of the block. */
static bool lies_outside(const assay_binding *b, const struct block *block)
{
    const uint8_t *at = (uint8_t *)b->base + b->offset;
    return at + b->size <= block->write || block->write + block->size <= at;
}

/* A shared input is bound as its output is, which holds its elements; each input is apart from all other outputs. */
static void inspect(struct trial *t)
{
    int first = test_in_place_output_of(t);
    for (int item = -1; (item = testcase_next_tensor(&t->c, item)) >= 0 && item < first;) {
        const assay_binding *b = &t->inputs[item];
        const uint8_t *at = (uint8_t *)b->base + b->offset;
        const assay_binding *output = t->outputs;
        for (int out = first; b->base && out >= 0; out = testcase_next_tensor(&t->c, out), output++) {
            const struct block *block = &t->blocks[out];
            if (testcase_output_of(&t->c, item) == out)
                bound_well &= memcmp(b, output, sizeof *b) == 0 && at == block->write && t->blocks[item].write != at &&
                              memcmp(at, t->blocks[item].write, block->size) == 0;
            else
                bound_well &= lies_outside(b, block);
        }
    }
}

static void do_nothing(struct trial *t)
{
    (void)t;
}

static void be_right(struct trial *t)
{
    for (int out = test_in_place_output_of(t); out >= 0; out = testcase_next_tensor(&t->c, out))
        memcpy(t->blocks[out].write, t->expected[out].write, t->blocks[out].size);
}

static void write_other_input(struct trial *t)
{
    be_right(t);
    for (int item = -1; (item = testcase_next_tensor(&t->c, item)) >= 0;)
        if (item != test_in_place_output_of(t) && testcase_output_of(&t->c, item) < 0)
            t->blocks[item].write[0] ^= 1;
}

static void write_beyond(struct trial *t)
{
    be_right(t);
    const struct block *block = &t->blocks[test_in_place_output_of(t)];
    block->write[block->offset > 0 ? -1 : (int64_t)block->size] ^= 1;
}

static void test_in_place_clear(struct trial *t)
{
    struct testcase c = t->c;
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    int out = test_in_place_output_of(t);
    memset(t->blocks[out].write, 0, t->blocks[out].size);
    for (int item = -1; (item = testcase_next_tensor(&c, item)) >= 0;)
        tensors[item] = testcase_output_of(&c, item) >= 0 ? t->blocks[out].write : t->blocks[item].write;
    oracle_run(&reference, c.spec, c.desc, tensors);
}

static void test_trials(void)
{
    size_t bound = 0, passed = 0, right = 0, beyond = 0, cases = 0, others = 0, seen = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        if (!c->in_place)
            continue;
        cases++;
        bound_well = true;
        test_in_place_run(c, inspect);
        bound += bound_well;
        passed += test_in_place_run(c, NULL).verdict.status == STATUS_PASS;
        right += test_in_place_run(c, be_right).verdict.status == STATUS_PASS;
        struct trial t = test_in_place_run(c, write_beyond);
        beyond += t.verdict.status == STATUS_FAIL && strstr(t.message, "wrote outside Output") != NULL;
        if (c->spec->input_count > 1 && !strstr(c->name, "ATensor-BTensor")) {
            others++;
            t = test_in_place_run(c, write_other_input);
            seen += t.verdict.status == STATUS_FAIL && strstr(t.message, "wrote the input") != NULL;
        }
        arena_reset(arena);
    }
    ok(bound == cases, "an input in place has the output's binding, which holds its elements: %zu of %zu", bound,
       cases);
    ok(passed == cases && right == cases, "right outputs pass: %zu and %zu", passed, right);
    ok(others > 300 && seen == others, "the other inputs must not be written: %zu of %zu", seen, others);
    ok(beyond == cases, "nor what is around the output: %zu of %zu", beyond, cases);
}

static bool fits(const struct trial *t, enum explanation explanation)
{
    return t->symptoms.diagnosis.given && explanation_is_in(&t->symptoms.diagnosis.explanations, explanation) &&
           strcmp(t->c.spec->rules[t->symptoms.diagnosis.rule].id, "in-place") == 0;
}

static void test_in_place_verdicts(void)
{
    struct trial t = test_in_place_run(
        test_in_place_find_case("element_wise_identity.in_place.InputTensor.fl4_1.uint32"), do_nothing);
    ok(t.verdict.status == STATUS_PASS, "an identity that writes nothing is right: %s", t.message);
    t = test_in_place_run(test_in_place_find_case("element_wise_negate.in_place.InputTensor.fl5_0.float32"),
                          do_nothing);
    ok(t.verdict.status == STATUS_FAIL && strstr(t.message, "were never written"), "another operator is not: %s",
       t.message);
    t = test_in_place_run(test_in_place_find_case("element_wise_negate.in_place.InputTensor.fl5_0.int32"),
                          test_in_place_clear);
    ok(t.verdict.status == STATUS_FAIL && fits(&t, EXPLAIN_IN_PLACE_CLEARED), "an output cleared first is named: %s",
       t.message);
    t = test_in_place_run(test_in_place_find_case("element_wise_negate.types.fl5_0.int32"), test_in_place_clear);
    ok(t.verdict.status == STATUS_PASS, "which is right where the input has memory of its own: %s", t.message);
    arena_reset(arena);
}

/* Two inputs of a case of `one_memory`. */
static void test_one_memory(void)
{
    const struct testcase *c = test_in_place_find_case("element_wise_multiply.one_memory.same.fl5_1.float32.d2");
    static _Alignas(16) char bytes[1 << 16];
    struct literal literals[OPDESC_MAX_TENSORS];
    struct testcase apart = *c, decoded;
    uint64_t size = c->desc->items[0].tensor.total, seed;
    uint8_t *contents = malloc(3 * size);
    apart.one_memory = false;
    ok(testcase_memory_of(c, 0) == 0 && testcase_memory_of(c, 1) == 0 && testcase_memory_of(c, 2) == 2 &&
           testcase_memory_of(&apart, 1) == 1,
       "the second input has the memory of the first, unless the case has one memory for each");
    fill_input(c, 5, 0, contents, size);
    fill_input(c, 5, 1, contents + size, size);
    fill_input(&apart, 5, 1, contents + 2 * size, size);
    ok(memcmp(contents, contents + size, size) == 0 && memcmp(contents, contents + 2 * size, size) != 0,
       "  and its elements");
    size = testcase_encode(c, specs.specs, 0, bytes, sizeof bytes);
    ok(testcase_decode(bytes, size, specs.specs, specs.count, &decoded, literals, NULL, &seed) && decoded.one_memory,
       "  also when it was encoded");
    free(contents);
}

static void test_contents(void)
{
    const struct testcase *c = test_in_place_find_case("element_wise_add.in_place.ATensor-BTensor.fl5_1.float16");
    struct testcase apart = *c;
    uint64_t size = c->desc->items[0].tensor.total;
    uint8_t *contents = malloc(3 * size);
    apart.in_place = NULL;
    fill_input(c, 5, 0, contents, size);
    fill_input(c, 5, 1, contents + size, size);
    fill_input(&apart, 5, 1, contents + 2 * size, size);
    ok(memcmp(contents, contents + size, size) == 0, "inputs of one memory hold the same");
    ok(memcmp(contents, contents + 2 * size, size) != 0, "  and others do not");
    free(contents);
}

int main(void)
{
    const char *patterns[] = {"*.in_place.*", "element_wise_multiply.one_memory.*", "gather.examples.*",
                              "element_wise_abs.strides.*", "element_wise_negate.types.*"};
    const struct plan_filter filter = {
        .patterns = patterns, .pattern_count = sizeof patterns / sizeof *patterns, .cache = kept_plan()};
    struct error error = {0};
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &filter, &error) ||
        plugin_open_reference(&reference, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    arena = arena_new();
    test_plan();
    test_in_place_catalogue();
    test_decoding();
    test_trials();
    test_in_place_verdicts();
    test_contents();
    test_one_memory();
    arena_free(arena);
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
