/* Interpretations: indices are as the case says, in range or not; elements that the documents leave open are told from
 * those that must be right. */
#include "harness/spec/elements.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/compare.h"
#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/case/indices.h"
#include "harness/plan/plan.h"
#include "harness/trial/plugin.h"
#include "harness/trial/selection.h"
#include "harness/trial/trial.h"

#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct spec_set specs;
static struct plan plan;
static struct plugin reference;

/* ---- indices */

struct seen {
    uint64_t in_range, out, negative, above, below, far;
};

static void test_interpretation_look(void *context, const struct index_place *place)
{
    struct seen *seen = context;
    bool is_signed = datatype_of(place->data_type)->is_signed;
    seen->in_range += place->in_range;
    seen->out += !place->in_range;
    seen->negative += place->value < 0 && is_signed;
    seen->above += !place->in_range && place->value >= place->size && place->value < place->size + 3;
    seen->below += !place->in_range && is_signed && place->value < -place->size && place->value >= -place->size - 3;
    seen->far +=
        !place->in_range && (place->value > 1000000 || place->value < -1000000 || (!is_signed && place->value < 0));
}

/* Returns true if the indices are those of the case's index fill. */
static bool indices_are_right(const struct testcase *c)
{
    struct seen seen = {0};
    for (int i = 0; i < c->spec->index_count; i++) {
        int field = c->spec->indices[i].field;
        if (!OPDESC_TENSOR(c->desc, field)->present)
            continue;
        uint8_t *memory = malloc(OPDESC_TENSOR(c->desc, field)->total);
        fill_input(c, plan_case_seed(7, c->name), field, memory, OPDESC_TENSOR(c->desc, field)->total);
        indices_each(c, field, memory, test_interpretation_look, &seen);
        free(memory);
    }
    switch (c->index_fill) {
    case INDEX_ABOVE:
        return seen.out > 0 && seen.out == seen.above;
    case INDEX_BELOW:
        return seen.out > 0 && seen.out == seen.below && seen.out <= seen.negative;
    case INDEX_FAR:
        return seen.out > 0 && seen.out == seen.far;
    case INDEX_NEGATIVE:
        return seen.out == 0 && seen.negative == seen.in_range;
    case INDEX_POSITIVE:
        return seen.out == 0 && seen.negative == 0;
    default:
        return seen.out == 0;
    }
}

static void test_indices(void)
{
    unsigned cases[INDEX_FILL_COUNT] = {0}, wrong = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        if (c->expect != EXPECT_RESULTS || c->literals || c->spec->index_count == 0)
            continue;
        cases[c->index_fill]++;
        if (!indices_are_right(c) && wrong++ < 5)
            note("%s", c->name);
    }
    ok(wrong == 0, "indices are as the cases say");
    for (int kind = 0; kind < INDEX_FILL_COUNT; kind++)
        ok(cases[kind] >= 30, "%s: %u cases", index_fill_names[kind], cases[kind]);
}

/* ---- open elements */

/* An element is open if one of the alternatives changes it. */
static void test_comparison(void)
{
    struct opdesc_tensor t = {.present = true,
                              .has_sizes = true,
                              .type = DML_TENSOR_TYPE_BUFFER,
                              .data_type = DML_TENSOR_DATA_TYPE_UINT8,
                              .dims = 1,
                              .total = 4,
                              .sizes = {4}};
    const uint8_t expected[4] = {1, 2, 3, 4}, other[4] = {1, 9, 3, 8}, *alternatives[] = {other};
    const struct prefill random_prefill = {.pattern = PREFILL_RANDOM, .key = 1};
    struct comparison c;
    for (int e = 0; e < 4; e++) {
        uint8_t got[4];
        memcpy(got, expected, 4);
        got[e] = 77;
        compare_output_open(&t, &random_prefill, expected, got, 4, alternatives, 1, &c);
        bool open = e == 1 || e == 3;
        ok(c.wrong == !open && c.open == open && c.unmatched == open, "element %d is %s", e, open ? "open" : "settled");
        ok(strcmp(c.first.got, "77 (0x4d)") == 0, "  and shown: %s", c.first.got);
    }
    uint8_t mixed[4] = {1, 9, 3, 4};
    compare_output_open(&t, &random_prefill, expected, mixed, 4, alternatives, 1, &c);
    ok(c.wrong == 0 && c.open == 1 && c.unmatched == 0, "open elements may follow different alternatives");
}

/* ---- verdicts: one element of the reference device's outputs is altered before they are judged */

/* The ways in which an element is altered: to a value of no tensor, mostly, or to that of the first element of the
 * input. */
enum alteration { ALTER_BITS, ALTER_TO_INPUT };

struct altered {
    enum alteration how;
    uint8_t *memory;
    const uint8_t *input;
    size_t bytes;
    uint64_t element;
};

static bool test_interpretation_alter(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct altered *a = context;
    (void)coordinates;
    if (number == a->element && a->how == ALTER_BITS)
        a->memory[offset * a->bytes] ^= 0x40;
    if (number == a->element && a->how == ALTER_TO_INPUT)
        memcpy(a->memory + offset * a->bytes, a->input, a->bytes);
    return number < a->element;
}

/* Judges the case with one element of its last output altered; -1: with none altered. */
static enum status test_interpretation_judge(struct trial_setup *setup, const struct testcase *c, int64_t element,
                                             enum alteration how, enum outcome *outcome)
{
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    trial_prepare(setup, &t);
    if (!t.judged) {
        assay_dispatch_item item = {t.objects.compiled, t.inputs, t.outputs, (uint32_t)t.input_count,
                                    (uint32_t)t.output_count};
        assay_dispatch_result result = {.status = E_FAIL};
        reference.api->dispatch(reference.device, &item, 1, &result);
        int last = c->spec->field_count;
        while (!field_is_output(&c->spec->fields[--last]))
            ;
        struct altered altered = {.how = how,
                                  .memory = t.blocks[last].write,
                                  .input = t.blocks[0].read,
                                  .bytes = datatype_of(OPDESC_TENSOR(c->desc, last)->data_type)->bits / 8,
                                  .element = (uint64_t)element};
        if (element >= 0)
            elements_each(OPDESC_TENSOR(c->desc, last), test_interpretation_alter, &altered);
        trial_judge(setup, &t, &result);
    }
    *outcome = t.verdict.outcome;
    enum status status = t.verdict.status;
    trial_finish(setup, &t);
    arena_reset(setup->arena);
    return status;
}

/* Alters each element in turn. An open one leads to `open_status` if its value is that of some tensor, otherwise to
 * `foreign_status`; any other to a failure. */
static void test_interpretation_verdicts(const char *operator, const char * kind, enum outcome right,
                                         enum status open_status, enum status foreign_status)
{
    struct trial_setup setup = {
        .device = &reference, .reference = &reference, .arena = arena_new(), .unexplained = true};
    unsigned cases = 0, settled = 0, open = 0, foreign = 0, from_input = 0, odd = 0;
    enum outcome outcome;
    for (size_t i = 0; i < plan.count && cases < 20; i++) {
        const struct testcase *c = &plan.cases[i];
        char label[64];
        snprintf(label, sizeof label, "%s.indices.%s-", operator, kind);
        if (strncmp(c->name, label, strlen(label)) != 0)
            continue;
        cases++;
        enum status status = test_interpretation_judge(&setup, c, -1, ALTER_BITS, &outcome);
        odd += status != STATUS_PASS || outcome != right;
        const struct opdesc_tensor *t = OPDESC_TENSOR(c->desc, c->spec->input_count);
        for (int f = 0; f < c->spec->field_count; f++)
            if (field_is_output(&c->spec->fields[f]))
                t = OPDESC_TENSOR(c->desc, f);
        for (int64_t e = 0; e < opdesc_elements(t) && e < 40; e++) {
            status = test_interpretation_judge(&setup, c, e, ALTER_BITS, &outcome);
            settled += status == STATUS_FAIL && outcome == OUTCOME_OTHER;
            open += status == open_status && outcome == OUTCOME_OTHER;
            foreign += status == foreign_status && outcome == OUTCOME_FOREIGN;
            odd += outcome == OUTCOME_FOREIGN
                       ? status != foreign_status
                       : outcome != OUTCOME_OTHER || (status != STATUS_FAIL && status != open_status);
            status = test_interpretation_judge(&setup, c, e, ALTER_TO_INPUT, &outcome);
            odd += outcome == OUTCOME_FOREIGN;
            from_input += status == open_status;
        }
    }
    ok(cases > 5 && odd == 0, "%s, %s: %u cases have the right outcome", operator, kind, cases);
    ok(open + foreign > 10, "  %u elements are open", open + foreign);
    ok(foreign_status == STATUS_COUNT ? foreign == 0 : foreign > 10, "  %u of them get memory of no tensor", foreign);
    ok(from_input > 10, "  %u may become another element of the input", from_input);
    ok(right == OUTCOME_IGNORED || settled > 10, "  and %u are not", settled);
    arena_free(setup.arena);
}

/* ---- verdicts: a device has one of the outcomes */

/* A tensor whose NaNs lose their payloads, which makes infinities of them. */
struct cutting {
    unsigned type;
    uint8_t *memory;
    unsigned nans;
};

static bool cut_nan(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct cutting *cutting = context;
    unsigned width = datatype_of(cutting->type)->bits;
    uint64_t infinity = 0;
    (void)number, (void)coordinates;
    if (!datatype_is_nan(cutting->type, element_get(width, cutting->memory, offset)))
        return true;
    datatype_from_double(cutting->type, (double)INFINITY, &infinity);
    element_put(width, cutting->memory, offset, infinity);
    cutting->nans++;
    return true;
}

/* Judges the case as if the device had returned the outputs of an interpretation. With `infinite`, each NaN among the
 * elements becomes an infinity. Returns STATUS_COUNT if the case has no such interpretation or no NaN. */
static enum status judge_outcome(struct trial_setup *setup, const struct testcase *c, int which, bool infinite,
                                 bool *accepted)
{
    struct trial t = {.c = *c, .seed = plan_case_seed(0, c->name)};
    enum status status = STATUS_COUNT;
    trial_prepare(setup, &t);
    if (!t.judged && t.interpretations && which < t.interpretations->outcome_count) {
        const struct interpretation *one = &t.interpretations->list[which];
        const assay_dispatch_result result = {.status = S_OK};
        unsigned nans = 0;
        enum outcome outcome = interpretations_find(t.interpretations, &t.c, (const uint8_t *const *)one->outputs);
        *accepted = t.c.spec->rules[t.c.rule].accepts >> outcome & 1;
        for (int i = -1; (i = testcase_next_tensor(&t.c, i)) >= 0;) {
            const struct opdesc_tensor *tensor = &t.c.desc->items[i].tensor;
            if (!one->outputs[i])
                continue;
            memcpy(t.blocks[i].write, one->outputs[i], tensor->total);
            struct cutting cutting = {tensor->data_type, t.blocks[i].write, 0};
            if (infinite && datatype_of(tensor->data_type)->is_float)
                elements_each(tensor, cut_nan, &cutting);
            nans += cutting.nans;
        }
        trial_judge(setup, &t, &result);
        status = infinite && nans == 0 ? STATUS_COUNT : t.verdict.status;
    }
    trial_finish(setup, &t);
    arena_reset(setup->arena);
    return status;
}

/* Whatever the contents of a case, an accepted outcome passes, an outcome that is only reported gets a warning, and
 * what is no outcome fails. */
static void test_each_outcome(void)
{
    struct trial_setup setup = {
        .device = &reference, .reference = &reference, .arena = arena_new(), .unexplained = true};
    struct sample sample = {0};
    unsigned cases = 0, passes = 0, warnings = 0, failures = 0, odd = 0, flushed = 0;
    bool accepted = false;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        bool finds = c->spec->rows.field >= 0 && c->fill == FILL_PATTERNS;
        if (selection_applies(c->spec) || (!interpretation_applies(c) && !finds))
            continue; /* selection.h judges outputs that select elements */
        if (!sample_takes(&sample, c))
            continue;
        enum status status;
        cases++;
        for (int which = 0; (status = judge_outcome(&setup, c, which, false, &accepted)) != STATUS_COUNT; which++) {
            passes += status == STATUS_PASS;
            warnings += status == STATUS_WARN;
            flushed += finds && status == STATUS_WARN;
            if (status != (accepted ? STATUS_PASS : STATUS_WARN) && odd++ < 5)
                note("%s: outcome %d is a %s", c->name, which, status_name(status));
        }
        status = judge_outcome(&setup, c, 0, true, &accepted);
        failures += status == STATUS_FAIL;
        if (status != STATUS_FAIL && status != STATUS_COUNT && odd++ < 5)
            note("%s: infinities for NaNs are a %s", c->name, status_name(status));
    }
    ok(odd == 0 && passes > 100 && warnings > 20 && failures > 5,
       "%u cases: %u outcomes pass, %u warn; %u outputs with infinities for NaNs fail", cases, passes, warnings,
       failures);
    ok(flushed > 0, "a case that tests no rule warns of FLOAT16 denormals that count as zeros");
    arena_free(setup.arena);
}

/* ---- cases about values hold such values */

struct denormals {
    unsigned type;
    const uint8_t *memory;
    bool found;
};

static bool test_interpretation_find_denormal(void *context, uint64_t number, const uint32_t *coordinates,
                                              uint64_t offset)
{
    struct denormals *denormals = context;
    size_t bytes = datatype_of(denormals->type)->bits / 8;
    denormals->found |=
        datatype_is_denormal(denormals->type, datatype_bits(denormals->type, denormals->memory + offset * bytes));
    (void)number, (void)coordinates;
    return !denormals->found;
}

/* Returns true if a denormal is in an output, or in an input if no output has a floating-point type. */
static bool shows_denormal(const struct trial *t)
{
    for (int input = 0; input < 2; input++)
        for (int i = -1; (i = testcase_next_tensor(&t->c, i)) >= 0;) {
            const struct opdesc_tensor *tensor = &t->c.desc->items[i].tensor;
            if (field_is_input(spec_tensor_field(t->c.spec, i)) != input || !datatype_of(tensor->data_type)->is_float)
                continue;
            struct denormals denormals = {tensor->data_type, input ? t->blocks[i].read : t->expected[i].write, false};
            elements_each(tensor, test_interpretation_find_denormal, &denormals);
            return denormals.found;
        }
    return false;
}

/* Returns true if the outputs differ when the device does as `outcome` says. */
static bool shows_outcome(const struct trial *t, enum outcome outcome)
{
    const struct interpretations *all = t->interpretations;
    for (int r = 1; r < all->outcome_count; r++)
        for (int i = -1; all->list[r].outcome == outcome && (i = testcase_next_tensor(&t->c, i)) >= 0;)
            if (all->list[r].outputs[i] &&
                memcmp(all->list[r].outputs[i], all->list[0].outputs[i], t->c.desc->items[i].tensor.total) != 0)
                return true;
    return false;
}

static bool shows_values(const struct trial *t, uint64_t outcomes)
{
    for (int outcome = OUTCOME_QUIETED; outcome <= OUTCOME_CANONICAL; outcome++)
        if (outcomes >> outcome & 1 && !shows_outcome(t, (enum outcome)outcome))
            return false;
    if (!(outcomes >> OUTCOME_FLUSHED & 1))
        return true;
    const struct opdesc_tensor *first = &t->c.desc->items[testcase_next_tensor(&t->c, -1)].tensor;
    return first->data_type == DML_TENSOR_DATA_TYPE_FLOAT32 ? shows_outcome(t, OUTCOME_FLUSHED) : shows_denormal(t);
}

static void test_interpretation_values(void)
{
    const uint64_t about = 1ull << OUTCOME_FLUSHED | 1ull << OUTCOME_QUIETED | 1ull << OUTCOME_CANONICAL;
    struct trial_setup setup = {.device = &reference, .reference = &reference, .arena = arena_new()};
    unsigned cases = 0, vacuous = 0;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        uint64_t outcomes = c->rule >= 0 ? c->spec->rules[c->rule].accepts | c->spec->rules[c->rule].reports : 0;
        for (uint64_t seed = 0; seed < 8 && c->expect == EXPECT_RESULTS && outcomes & about; seed++) {
            struct trial t = {.c = *c, .seed = plan_case_seed(seed, c->name)};
            trial_prepare(&setup, &t);
            cases++;
            if ((t.judged || !shows_values(&t, outcomes)) && vacuous++ < 5)
                note("%s, seed %llu", c->name, (unsigned long long)seed);
            trial_finish(&setup, &t);
            arena_reset(setup.arena);
        }
    }
    ok(cases > 100 && vacuous == 0, "%u cases about NaNs and denormals, of 8 seeds: %u show none", cases, vacuous);
    arena_free(setup.arena);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct plan_filter everything = {.cache = kept_plan()};
    struct error error = {0};
    if (kept_specs(&specs, &error) || plan_make(&plan, &specs, "cases", &everything, &error) ||
        plugin_open_reference(&reference, &error)) {
        ok(0, "set-up: %s", error.text);
        return tap_done();
    }
    test_indices();
    test_comparison();
    test_interpretation_values();
    test_each_outcome();
    test_interpretation_verdicts("gather", "above", OUTCOME_CLAMPED, STATUS_PASS, STATUS_FAIL);
    test_interpretation_verdicts("gather_nd", "far", OUTCOME_CLAMPED, STATUS_PASS, STATUS_WARN);
    test_interpretation_verdicts("gather_elements", "below", OUTCOME_CLAMPED, STATUS_PASS, STATUS_WARN);
    test_interpretation_verdicts("scatter_nd", "above", OUTCOME_IGNORED, STATUS_WARN, STATUS_FAIL);
    test_interpretation_verdicts("scatter_elements", "far", OUTCOME_IGNORED, STATUS_WARN, STATUS_FAIL);
    test_interpretation_verdicts("max_unpooling", "above", OUTCOME_IGNORED, STATUS_WARN, STATUS_FAIL);
    test_interpretation_verdicts("scatter_nd", "duplicates", OUTCOME_LAST, STATUS_FAIL, STATUS_COUNT);
    test_interpretation_verdicts("scatter_elements", "duplicates", OUTCOME_LAST, STATUS_FAIL, STATUS_COUNT);
    test_interpretation_verdicts("max_unpooling", "duplicates", OUTCOME_LAST, STATUS_FAIL, STATUS_COUNT);
    plugin_close(&reference);
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
