/* This file tries all explanations of a wrong result, and has the steps that they share. */
#include "harness/trial/explain_internal.h"

#include "harness/base/clock.h"
#include "harness/base/datatype.h"
#include "harness/base/working.h"
#include "harness/spec/elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the rule about the values of the results: the first behaviour that the documents demand. The rule about NaNs
 * is not the one: it only adds what the formula gives for them. */
static int rule_of_values(const struct spec *spec)
{
    int first = -1;
    for (int i = spec->rule_count - 1; i >= 0; i--) {
        const struct rule *rule = &spec->rules[i];
        if (rule->behaviour && rule->strength == STRENGTH_MUST && strcmp(rule->id, "nans") != 0)
            first = i;
    }
    return first;
}

/* Returns the index of the first rule that the explanation names and the operator has; -1: there is none. */
static int named_rule(const struct spec *spec, enum explanation explanation)
{
    char id[64];
    const char *rules = explanation_rules(explanation);
    for (int length = 0; *rules; rules += length + (rules[length] == ' ')) {
        length = (int)strcspn(rules, " ");
        snprintf(id, sizeof id, "%.*s", length, rules);
        if (spec_find_rule(spec, id) >= 0)
            return spec_find_rule(spec, id);
    }
    return -1;
}

int explanation_rule(const struct spec *spec, enum explanation explanation)
{
    int rule = named_rule(spec, explanation);
    return rule >= 0 ? rule : rule_of_values(spec);
}

/* ---- predicting */

void explain_restore(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->rewritten[i])
            memcpy(x->rewritten[i], x->inputs[i], explain_tensor(x, i)->total);
}

bool explain_is_over(struct explainer *x)
{
    x->late |= clock_ns() > x->end;
    working_report();
    return x->late;
}

bool explain_is_done(struct explainer *x, enum explanation explanation)
{
    return explanation_is_in(&x->found, explanation) || x->work < x->cost || explain_is_over(x);
}

/* Takes the cost of a computation from the work that may still be done. */
static void charge(struct explainer *x, uint64_t cost)
{
    x->work -= cost < x->work ? cost : x->work;
}

void explain_charge(struct explainer *x)
{
    charge(x, x->cost);
}

/* Returns the cost of computing the stages from number `from` on: that of their elements, and of starting with each. */
static uint64_t stage_cost(const struct explainer *x, int from)
{
    enum { ELEMENT = 16, START = 4 << 10 }; /* they take as long as so many bytes of an output */
    return ELEMENT * computed_stage_elements(x->spec, x->t->c.desc, from) +
           START * (uint64_t)(x->spec->stage_count - from);
}

static bool trial_explain_run(struct explainer *x, const struct opdesc *desc)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    explain_charge(x);
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = x->rewritten[i] ? x->rewritten[i] : x->predicted[i];
    return SUCCEEDED(oracle_run(x->setup->reference, x->spec, desc, tensors));
}

/* Returns the output as the device left it, and sets `tensors`, to which the result points. */
static struct computed_output output_of(const struct explainer *x, int item, const uint8_t *tensors[])
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = explain_is_output(x, i) ? x->got[i] : x->inputs[i];
    return (struct computed_output){.spec = x->spec,
                                    .desc = x->t->c.desc,
                                    .item = item,
                                    .tensors = tensors,
                                    .expected = x->expected[item],
                                    .got = x->got[item],
                                    .half = x->t->half};
}

/* Returns true if the first wrong elements of each output are the results of the formulas. */
static bool fits_formulas(struct explainer *x, const struct spec *spec, const struct opdesc *desc,
                          const struct folding_slip *slip)
{
    bool fits = true;
    for (int i = -1; fits && (i = explain_next(x, i)) >= 0;) {
        if (!x->got[i])
            continue;
        if (!x->fits[i]) {
            const struct computed_output output = output_of(x, i, x->tensors);
            x->fits[i] = computed_fit_open(&output);
        }
        fits = !x->fits[i] || computed_fits(x->fits[i], spec, desc, slip);
    }
    return fits;
}

/* Returns the first stage whose elements the mistake may change; the number of stages if there is none. */
static int first_changed_stage(const struct explainer *x, const struct spec *spec, const struct opdesc *desc,
                               const struct folding_slip *slip)
{
    int stage = 0;
    if (slip || desc != x->t->c.desc)
        return 0;
    while (stage < spec->stage_count && stage < x->spec->stage_count &&
           memcmp(&spec->stages[stage], &x->spec->stages[stage], sizeof *spec->stages) == 0)
        stage++;
    return stage;
}

bool explain_run_formulas(struct explainer *x, const struct spec *spec, const struct opdesc *desc,
                          const struct folding_slip *slip)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    charge(x, stage_cost(x, first_changed_stage(x, spec, desc, slip)));
    if (!x->before && !fits_formulas(x, spec, desc, slip))
        return false;
    charge(x, x->bytes);
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = x->rewritten[i] ? x->rewritten[i] : x->predicted[i];
    computed_run_slipped(spec, desc, tensors, slip);
    return !explain_is_expected(x);
}

void explain_expect(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i])
            memcpy(x->predicted[i], x->expected[i], explain_tensor(x, i)->total);
}

bool explain_is_expected(const struct explainer *x)
{
    bool same = true;
    for (int i = -1; same && (i = explain_next(x, i)) >= 0;)
        same = !x->predicted[i] || memcmp(x->predicted[i], x->expected[i], explain_tensor(x, i)->total) == 0;
    return same;
}

bool explain_run(struct explainer *x)
{
    bool changed = false;
    for (int i = -1; !changed && (i = explain_next(x, i)) >= 0;)
        changed = x->rewritten[i] && memcmp(x->rewritten[i], x->inputs[i], explain_tensor(x, i)->total) != 0;
    bool good = changed && trial_explain_run(x, x->t->c.desc);
    explain_restore(x);
    return good;
}

bool explain_run_as(struct explainer *x, const struct opdesc *desc)
{
    return trial_explain_run(x, desc);
}

void explain_unwritten_item(struct explainer *x, int item)
{
    size_t total = explain_tensor(x, item)->total;
    if (x->before) {
        memcpy(x->predicted[item], x->before[item], total);
        return;
    }
    const struct prefill prefill = trial_prefill(x->t, item);
    compare_prefill(&prefill, x->predicted[item], total);
}

void explain_unwritten(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i])
            explain_unwritten_item(x, i);
}

/* A matching compares the elements of two memories of one layout, until two of them differ. */
struct matching {
    const uint8_t *a, *b;
    uint64_t count; /* the elements to compare: those before this number */
    unsigned width; /* the width of an element, in bits */
    bool equal;     /* all elements so far are equal */
};

static bool explain_match_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct matching *m = context;
    (void)coordinates;
    if (number >= m->count)
        return false;
    m->equal = element_get(m->width, m->a, offset) == element_get(m->width, m->b, offset);
    return m->equal;
}

/* Returns true if the device wrote the output in `outputs`, as far as that output is defined. */
static bool output_is(const struct explainer *x, int item, uint8_t *const *outputs)
{
    const struct opdesc_tensor *t = explain_tensor(x, item);
    if (trial_is_computed(x->t)) {
        const uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
        const struct computed_output output = output_of(x, item, tensors);
        return computed_matches(&output, outputs[item]);
    }
    struct matching m = {
        .a = outputs[item], .b = x->got[item], .width = datatype_of(t->data_type)->bits, .equal = true};
    m.count = interpretation_defined_count(&x->t->c, item, (const uint8_t *const *)outputs);
    elements_each(t, explain_match_element, &m);
    return m.equal;
}

/* A telling counts the bits that a prediction settles. */
struct telling {
    const uint8_t *predicted, *expected, *got;
    unsigned type;
    uint64_t last; /* the predicted element before this one */
    double bits;   /* the count so far */
};

/* Returns the number of bits by which a wrong element is nearer to the predicted value than to the right one. */
static double bits_told(const struct telling *t, double value, uint64_t right_bits, uint64_t got_bits)
{
    const struct datatype *type = datatype_of(t->type);
    double right = datatype_to_double(t->type, &right_bits), got = datatype_to_double(t->type, &got_bits);
    double away = fabs(value - right), most = type->bits / 2;
    if (type->is_float)
        most = type->bits == 16 ? 11 : 24;
    if ((value == 0 || value == 1) && (right == 0 || right == 1))
        return type->is_float ? 1 : 3; /* the element is a condition, or marks a place */
    if (!type->is_float)
        return fmin(most, 3 + log2(1 + away / 16)); /* many integers are small */
    if (!isfinite(away) || value == 0)
        return isfinite(right) ? 0 : most / 2;
    return fmax(0, fmin(most, log2(away / fmax(fabs(got - value), ldexp(fabs(value), -(int)most)))));
}

static bool tell_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct telling *t = context;
    unsigned width = datatype_of(t->type)->bits;
    uint64_t bits = element_get(width, t->predicted, offset), right = element_get(width, t->expected, offset);
    double value = datatype_to_double(t->type, &bits);
    (void)number;
    (void)coordinates;
    if (bits != right && isfinite(value) && value != 0) {
        double told = bits_told(t, value, right, element_get(width, t->got, offset));
        t->bits += bits == t->last && datatype_of(t->type)->is_float ? fmin(1, told) : told;
    }
    t->last = bits;
    return true;
}

bool explain_is_telling(const struct explainer *x)
{
    enum { ENOUGH = 20 };
    struct telling telling = {.bits = 0};
    if (!trial_is_computed(x->t))
        return true;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        if (!x->predicted[i])
            continue;
        telling.predicted = x->predicted[i];
        telling.expected = x->expected[i];
        telling.got = x->got[i];
        telling.type = t->data_type;
        elements_each(t, tell_element, &telling);
    }
    return telling.bits >= ENOUGH;
}

/* A nearing finds out if the elements that a mistake changes are much nearer to the predicted value than to the right
 * one. Tolerances alone are no proof: the tolerances of long sums of FLOAT16 are wider than an element. */
struct nearing {
    const uint8_t *predicted, *expected, *got;
    const struct datatype *type;
    unsigned number; /* the number of the type */
    bool some;       /* some changed element is nearer */
    bool every;      /* every changed element is nearer */
};

static bool near_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    enum { MUCH = 64 };
    struct nearing *n = context;
    uint64_t right = element_get(n->type->bits, n->expected, offset), got = element_get(n->type->bits, n->got, offset),
             predicted = element_get(n->type->bits, n->predicted, offset);
    (void)number, (void)coordinates;
    if (predicted == right || got == right) /* explain_check() judges the element by the tolerance */
        return true;
    double value = datatype_to_double(n->number, &got);
    double away = fabs(value - datatype_to_double(n->number, &right));
    bool nearer = got == predicted || fabs(value - datatype_to_double(n->number, &predicted)) * MUCH <= away ||
                  (isnan(value) && isnan(datatype_to_double(n->number, &predicted)));
    n->some |= nearer;
    n->every &= nearer;
    return nearer;
}

bool explain_is_nearer(const struct explainer *x)
{
    struct nearing n = {.every = true};
    for (int i = -1; n.every && (i = explain_next(x, i)) >= 0;) {
        if (!x->predicted[i])
            continue;
        n.number = explain_tensor(x, i)->data_type;
        n.type = datatype_of(n.number);
        n.predicted = x->predicted[i];
        n.expected = x->expected[i];
        n.got = x->got[i];
        elements_each(explain_tensor(x, i), near_element, &n);
    }
    return n.some && n.every;
}

void explain_check(struct explainer *x, enum explanation explanation)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i] && !output_is(x, i, x->predicted))
            return;
    explanation_add(&x->found, explanation);
}

void explain_check_each(struct explainer *x, enum explanation explanation)
{
    bool predicted = false;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->predicted[i] || output_is(x, i, (uint8_t *const *)x->expected))
            continue;
        if (!output_is(x, i, x->predicted))
            return;
        predicted = true;
    }
    if (predicted)
        explanation_add(&x->found, explanation);
}

void explain_inputs(struct explainer *x, enum explanation explanation)
{
    if (explain_is_done(x, explanation))
        explain_restore(x);
    else if (explain_run(x))
        explain_check(x, explanation);
}

/* ---- trying all mistakes */

/* A case of more than EXPLAIN_BYTES is explained by its wrong elements alone. EXPLAIN_WORK lets small cases try all
 * explanations, and large cases try the first ones. The time only keeps cases on a slow or busy machine from becoming
 * late: elsewhere, explaining takes less than three quarters of a case's limit. If it takes longer, the case has no
 * explanation. LIMIT_MS stands for a limit that is not known. */
enum { EXPLAIN_BYTES = 4 << 20, LIMIT_MS = 1000 };

/* Sets the members that stay the same while mistakes are tried. */
static void explain_start(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        x->bytes += explain_tensor(x, i)->total;
    x->cost = x->bytes + stage_cost(x, 0);
    for (int i = 0; i < x->spec->index_count; i++) {
        x->indexed = true;
        x->updates |= x->spec->indices[i].distinct;
    }
    const int outside = spec_find_rule(x->spec, "out-of-range");
    const struct rule *rule = outside >= 0 ? &x->spec->rules[outside] : NULL;
    x->ignores = x->updates || (rule && rule->strength == STRENGTH_MUST && rule->accepts == 1 << OUTCOME_IGNORED);
    x->rows = x->spec->rows.field >= 0;
}

static void explain_end(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        free(x->rewritten[i]);
        free(x->predicted[i]);
        computed_fit_close(x->fits[i]);
    }
    mistake_free_edited(x);
}

static bool explain_allocate(struct explainer *x)
{
    bool good = true;
    for (int i = -1; good && (i = explain_next(x, i)) >= 0;) {
        uint8_t *memory = calloc(1, explain_tensor(x, i)->total);
        *(explain_is_output(x, i) ? &x->predicted[i] : &x->rewritten[i]) = memory;
        good = memory != NULL;
    }
    if (good)
        explain_restore(x);
    return good;
}

/* Returns true if all outputs keep their old contents, and have enough elements to show that: no mistake in a
 * computation predicts such outputs. */
static bool explain_is_untouched(const struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        const struct prefill prefill = trial_prefill(x->t, i);
        if (x->got[i] && (prefill.pattern != PREFILL_RANDOM ||
                          compare_untouched(explain_tensor(x, i), &prefill, x->got[i], UINT64_MAX) != UNTOUCHED))
            return false;
    }
    return true;
}

/* Returns true if the mistake explains zeros by products of rounded integers: these wrap to 0 in 64 bits, but so looks
 * an output that was never written. */
static bool is_wrapped_zero(const struct explainer *x, const struct mistake *m)
{
    bool wraps = false;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        wraps |= explain_is_output(x, i) && datatype_of(explain_tensor(x, i)->data_type)->bits == 64;
    return m->explanation == EXPLAIN_INTEGER_AS_FLOAT && wraps && explanation_is_in(&x->found, EXPLAIN_ZEROS);
}

/* Tries a mistake at each of its sites until it holds. */
static void try_mistake(struct explainer *x, const struct mistake *m)
{
    enum prediction prediction = is_wrapped_zero(x, m) ? PREDICTS_NO_SITE : PREDICTS_NOTHING;
    for (int site = 0; prediction != PREDICTS_NO_SITE && !explain_is_done(x, m->explanation); site++) {
        prediction = m->predict(x, m, site);
        if (prediction == PREDICTS_OUTPUTS && (!m->weak || explain_is_nearer(x)) && (!m->many || explain_is_telling(x)))
            explain_check(x, m->explanation);
    }
}

static void try_mistakes(struct explainer *x)
{
    for (int i = 0; i < mistake_count; i++)
        if (!mistakes[i].observed)
            try_mistake(x, &mistakes[i]);
}

/* ---- making a mistake */

/* Computes the right outputs into `predicted`, and keeps copies of them in `right` as the expected ones. Returns false
 * if that fails. */
static bool compute_right(struct explainer *x, uint8_t *right[])
{
    if (!explain_run_as(x, x->t->c.desc))
        return false;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        if (!x->predicted[i])
            continue;
        size_t total = explain_tensor(x, i)->total;
        right[i] = malloc(total);
        if (!right[i])
            return false;
        memcpy(right[i], x->predicted[i], total);
        x->expected[i] = right[i];
    }
    return true;
}

/* Makes the mistake at a site, or at the first site where it changes an output (-1). Returns true if it changes one. */
static bool make_mistake(struct explainer *x, const struct mistake *m, int site)
{
    enum prediction prediction = PREDICTS_NOTHING;
    for (int i = site < 0 ? 0 : site; prediction == PREDICTS_NOTHING && (site < 0 || i == site); i++) {
        explain_unwritten(x);
        prediction = m->predict(x, m, i);
        if (prediction == PREDICTS_OUTPUTS && explain_is_expected(x))
            prediction = PREDICTS_NOTHING;
    }
    return prediction == PREDICTS_OUTPUTS;
}

bool mistake_apply(const struct mistake_case *c, const struct mistake *m, int site)
{
    struct trial *t = calloc(1, sizeof *t);
    struct trial_setup setup = {.reference = (struct plugin *)(uintptr_t)c->reference};
    struct explainer x = {.setup = &setup, .t = t, .spec = c->spec, .before = (const uint8_t *const *)c->outputs};
    uint8_t *right[OPDESC_MAX_TENSORS] = {0};
    bool made = false;
    if (!t)
        return false;
    t->c = (struct testcase){.spec = c->spec, .desc = c->desc, .table = c->spec->level_count - 1, .rule = -1};
    t->c.expect = EXPECT_RESULTS;
    explain_start(&x);
    x.work = x.end = UINT64_MAX;
    for (int i = -1; (i = explain_next(&x, i)) >= 0;)
        x.inputs[i] = explain_is_output(&x, i) ? NULL : c->inputs[i];
    if (explain_allocate(&x)) {
        explain_unwritten(&x);
        made = compute_right(&x, right) && make_mistake(&x, m, site);
        for (int i = -1; made && (i = explain_next(&x, i)) >= 0;)
            if (x.predicted[i])
                memcpy(c->outputs[i], x.predicted[i], explain_tensor(&x, i)->total);
    }
    explain_end(&x);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(right[i]);
    free(t);
    return made;
}

/* ---- explaining */

static void predict(struct explainer *x)
{
    if (!explain_is_untouched(x) && explain_allocate(x)) {
        explain_in_place(x);
        explain_reused(x); /* few computations, so these come before the many of mistakes in formulas */
        try_mistakes(x);
        explain_updates(x);
        explain_rows(x);
        explain_selection(x);
        explain_state(x);
        explain_known(x);
    }
    explain_end(x);
}

/* Every operator that moves elements has this rule, so it tells no mistake apart. */
static const char common_rule[] = "exact";

/* Returns the degree to which an explanation that holds suits as the cause: 5 if it breaks the rule that the case
 * tests, since the case was made to show that; 4 if it names another rule of the operator; 3 if it is an operator of
 * another description, which few cases can show; 2 if it is a known mistake of the operator; 1 otherwise. */
static int suits(const struct explainer *x, int explanation)
{
    if (explanation == EXPLAIN_OPERATOR_REUSED)
        return 3;
    if (explanation_is_known((enum explanation)explanation))
        return 2;
    int rule = named_rule(x->spec, (enum explanation)explanation);
    if (rule < 0 || explanation_is_observed((enum explanation)explanation))
        return 1;
    if (rule == x->t->c.rule)
        return 5;
    return strcmp(x->spec->rules[rule].id, common_rule) == 0 ? 1 : 4;
}

/* Chooses the cause among the explanations that hold: the first one of those that suit best. Returns EXPLAIN_COUNT if
 * no explanation holds. */
static enum explanation choose_cause(const struct explainer *x)
{
    int cause = EXPLAIN_COUNT, best = 0;
    for (int e = 0; e < EXPLAIN_COUNT; e++)
        if (explanation_is_in(&x->found, (enum explanation)e) && suits(x, e) > best) {
            cause = e;
            best = suits(x, e);
        }
    return (enum explanation)cause;
}

/* Returns the rule that an unexplained wrong result breaks: the rule that the case tests, if that rule demands results,
 * or allows the result with a warning; otherwise the rule about the values. A failure breaks no rule that leaves a
 * choice: it is none of the choices. */
static int unexplained_rule(const struct explainer *x)
{
    const int flushed = spec_find_rule(x->spec, "denormals");
    if (x->t->verdict.status == STATUS_WARN && x->t->verdict.outcome == OUTCOME_FLUSHED && flushed >= 0)
        return flushed;
    const int tested = x->t->c.rule;
    const struct rule *rule = tested >= 0 ? &x->spec->rules[tested] : NULL;
    const bool warns = x->t->verdict.status == STATUS_WARN; /* a device that breaks a must rule fails */
    const bool is_broken = rule && rule->behaviour && (rule->strength == STRENGTH_MUST) != warns;
    return is_broken ? tested : rule_of_values(x->spec);
}

void trial_explain(struct trial_setup *setup, struct trial *t)
{
    struct explainer x = {.setup = setup, .t = t, .spec = t->c.spec};
    x.work = EXPLAIN_WORK;
    x.end = clock_ns() + (setup->limit_ms ? setup->limit_ms : LIMIT_MS) * (uint64_t)1000000 / 4 * 3;
    working_report();
    explain_start(&x);
    for (int i = -1; (i = explain_next(&x, i)) >= 0;) {
        x.inputs[i] = explain_is_output(&x, i) ? NULL : t->blocks[i].write;
        x.got[i] = x.inputs[i] ? NULL : t->got[i].write;
        x.expected[i] = x.inputs[i] ? NULL : t->expected[i].write;
    }
    explain_observe(&x, t->symptoms.diagnosis.shared, sizeof t->symptoms.diagnosis.shared);
    if (x.bytes <= EXPLAIN_BYTES)
        predict(&x);
    if (x.late) { /* a mistake that was not tried may hold, and be more specific than those that were found */
        x.found = (explanation_set){{0}};
        snprintf(t->symptoms.diagnosis.shared, sizeof t->symptoms.diagnosis.shared, "no time to explain");
    }
    enum explanation cause = choose_cause(&x);
    t->symptoms.diagnosis.explanations = x.found;
    t->symptoms.diagnosis.cause = (uint16_t)(cause < EXPLAIN_COUNT ? cause : 0);
    t->symptoms.diagnosis.rule =
        (int16_t)(cause < EXPLAIN_COUNT ? explanation_rule(x.spec, cause) : unexplained_rule(&x));
    t->symptoms.diagnosis.given = true;
    working_report();
}
