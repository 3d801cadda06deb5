/* The table of explanations, and the steps that all of them share. */
#include "harness/trial/explain_internal.h"

#include "harness/base/clock.h"
#include "harness/base/datatype.h"
#include "harness/spec/elements.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *sentence, *rules;
    bool observed;
} infos[EXPLAIN_COUNT] = {
#define INFO_PREDICTED(identifier, name, sentence, rules) [EXPLAIN_##identifier] = {name, sentence, rules, false},
#define INFO_OBSERVED(identifier, name, sentence, rules) [EXPLAIN_##identifier] = {name, sentence, rules, true},
    EXPLANATIONS(INFO_PREDICTED, INFO_OBSERVED)};

_Static_assert(EXPLAIN_COUNT <= 8 * sizeof(explanation_set), "a set has a bit for each explanation");

const char *explanation_name(enum explanation explanation)
{
    return infos[explanation].name;
}

const char *explanation_sentence(enum explanation explanation)
{
    return infos[explanation].sentence;
}

const char *explanation_rules(enum explanation explanation)
{
    return explanation < EXPLAIN_COUNT ? infos[explanation].rules : "";
}

bool explanation_is_observed(enum explanation explanation)
{
    return infos[explanation].observed;
}

enum explanation explanation_find(const char *name, size_t length)
{
    int e = 0;
    while (e < EXPLAIN_COUNT && (strlen(infos[e].name) != length || memcmp(infos[e].name, name, length) != 0))
        e++;
    return (enum explanation)e;
}

static size_t append_name(char *text, size_t used, int explanation)
{
    const char *name = infos[explanation].name;
    if (used + strlen(name) + 2 < EXPLANATIONS_SIZE)
        used += (size_t)sprintf(text + used, "%s%s", used ? ", " : "", name);
    return used;
}

const char *explanations_print(const struct diagnosis *diagnosis, char text[EXPLANATIONS_SIZE])
{
    size_t used = 0;
    *text = '\0';
    if (explanation_is_in(diagnosis->explanations, diagnosis->cause))
        used = append_name(text, used, diagnosis->cause);
    for (int e = 0; e < EXPLAIN_COUNT; e++)
        if (explanation_is_in(diagnosis->explanations, e) && e != diagnosis->cause)
            used = append_name(text, used, e);
    return text;
}

void explanations_parse(const char *text, struct diagnosis *diagnosis)
{
    diagnosis->explanations = 0;
    while (*text) {
        size_t length = strcspn(text, ", ");
        enum explanation e = explanation_find(text, length);
        if (e < EXPLAIN_COUNT && diagnosis->explanations == 0)
            diagnosis->cause = (uint8_t)e;
        diagnosis->explanations |= e < EXPLAIN_COUNT ? explanation_alone((int)e) : 0;
        text += length;
        text += strspn(text, ", ");
    }
}

static int first_behaviour(const struct spec *spec)
{
    for (int i = 0; i < spec->rule_count; i++)
        if (spec->rules[i].behaviour)
            return i;
    return -1;
}

/* Returns the first rule that the explanation names and the operator has, as an index; -1: there is none. */
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
    return rule >= 0 ? rule : first_behaviour(spec);
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
    return x->late;
}

bool explain_is_done(struct explainer *x, enum explanation explanation)
{
    return explanation_is_in(x->found, (int)explanation) || x->work < x->bytes || explain_is_over(x);
}

static bool trial_explain_run(struct explainer *x, const struct opdesc *desc)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    x->work -= x->bytes < x->work ? x->bytes : x->work;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = x->rewritten[i] ? x->rewritten[i] : x->predicted[i];
    return SUCCEEDED(oracle_run(x->setup->reference, x->spec, desc, tensors));
}

void explain_run_slipped(struct explainer *x, const struct folding_slip *slip)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    x->work -= x->bytes < x->work ? x->bytes : x->work;
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        tensors[i] = x->rewritten[i] ? x->rewritten[i] : x->predicted[i];
    computed_run_slipped(x->spec, x->t->c.desc, tensors, slip);
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

void explain_unwritten(struct explainer *x)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i]) {
            const struct prefill prefill = trial_prefill(x->t, i);
            compare_prefill(&prefill, x->predicted[i], explain_tensor(x, i)->total);
        }
}

struct matching {
    const uint8_t *a, *b;
    uint64_t count;
    unsigned width; /* of an element, in bits */
    bool equal;
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

/* Whether an output is as in `outputs`, as far as it is defined there. */
static bool output_is(const struct explainer *x, int item, uint8_t *const *outputs)
{
    const struct opdesc_tensor *t = explain_tensor(x, item);
    if (trial_is_computed(x->t)) {
        const uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
        for (int i = -1; (i = explain_next(x, i)) >= 0;)
            tensors[i] = explain_is_output(x, i) ? x->got[i] : x->inputs[i];
        const struct computed_output output = {.spec = x->spec,
                                               .desc = x->t->c.desc,
                                               .item = item,
                                               .tensors = tensors,
                                               .expected = x->expected[item],
                                               .got = x->got[item],
                                               .half = x->t->half};
        return computed_matches(&output, outputs[item]);
    }
    struct matching m = {
        .a = outputs[item], .b = x->got[item], .width = datatype_of(t->data_type)->bits, .equal = true};
    m.count = interpretation_defined_count(&x->t->c, item, (const uint8_t *const *)outputs);
    elements_each(t, explain_match_element, &m);
    return m.equal;
}

/* Counts the bits that a prediction settles. */
struct telling {
    const uint8_t *predicted, *expected;
    unsigned type;
    uint64_t last, bits;
};

static bool tell_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct telling *t = context;
    const struct datatype *type = datatype_of(t->type);
    uint64_t bits = element_get(type->bits, t->predicted, offset);
    double value = datatype_to_double(t->type, &bits);
    (void)number;
    (void)coordinates;
    if (bits != element_get(type->bits, t->expected, offset) && bits != t->last && isfinite(value) && value != 0)
        t->bits += type->bits / 2; /* what is within the tolerance is as good */
    t->last = bits;
    return true;
}

bool explain_is_telling(const struct explainer *x)
{
    enum { ENOUGH = 24 };
    struct telling telling = {.last = 0};
    if (!trial_is_computed(x->t))
        return true;
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        const struct opdesc_tensor *t = explain_tensor(x, i);
        if (!x->predicted[i])
            continue;
        telling.predicted = x->predicted[i];
        telling.expected = x->expected[i];
        telling.type = t->data_type;
        elements_each(t, tell_element, &telling);
    }
    return telling.bits >= ENOUGH;
}

void explain_check(struct explainer *x, enum explanation explanation)
{
    for (int i = -1; (i = explain_next(x, i)) >= 0;)
        if (x->predicted[i] && !output_is(x, i, x->predicted))
            return;
    x->found |= explanation_alone((int)explanation);
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
    x->found |= predicted ? explanation_alone((int)explanation) : 0;
}

void explain_inputs(struct explainer *x, enum explanation explanation)
{
    if (explain_is_done(x, explanation))
        explain_restore(x);
    else if (explain_run(x))
        explain_check(x, explanation);
}

/* ---- all of it */

/* Of larger cases, only the wrong elements are looked at. The work lets small cases try all explanations and large ones
 * those that come first. The time only protects cases on a slow or busy machine from becoming late: three quarters of a
 * case's limit are not reached otherwise. If they are, the case has no explanation. */
enum { EXPLAIN_BYTES = 4 << 20, EXPLAIN_WORK = 48 << 20, LIMIT_MS = 1000 };

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

/* Whether all outputs hold what they held before, and enough of it: then no mistake in a computation predicts that. */
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

static void predict(struct explainer *x)
{
    if (!explain_is_untouched(x) && explain_allocate(x)) {
        explain_in_place(x);
        explain_folds(x);
        explain_values(x);
        explain_numbers(x);
        explain_indices(x);
        explain_layout(x);
        explain_attributes(x);
        explain_updates(x);
        explain_rows(x);
        explain_selection(x);
        explain_state(x);
    }
    for (int i = -1; (i = explain_next(x, i)) >= 0;) {
        free(x->rewritten[i]);
        free(x->predicted[i]);
    }
}

/* Returns how well an explanation that holds suits as the cause: 3 if it breaks the rule that the case tests, since the
 * case was made to show that; 2 if it names another rule of the operator; 1 if it names none. */
static int suits(const struct explainer *x, int explanation)
{
    int rule = named_rule(x->spec, (enum explanation)explanation);
    if (rule < 0 || infos[explanation].observed)
        return 1;
    return rule == x->t->c.rule ? 3 : 2;
}

/* Chooses the cause among the explanations that hold: the first of those that suit best. EXPLAIN_COUNT: none holds. */
static enum explanation choose_cause(const struct explainer *x)
{
    int cause = EXPLAIN_COUNT, best = 0;
    for (int e = 0; e < EXPLAIN_COUNT; e++)
        if (explanation_is_in(x->found, e) && suits(x, e) > best) {
            cause = e;
            best = suits(x, e);
        }
    return (enum explanation)cause;
}

/* Returns the rule that an unexplained wrong result breaks: the one that the case tests, if it is about results. */
static int unexplained_rule(const struct explainer *x)
{
    int tested = x->t->c.rule;
    return tested >= 0 && x->spec->rules[tested].behaviour ? tested : first_behaviour(x->spec);
}

void trial_explain(struct trial_setup *setup, struct trial *t)
{
    struct explainer x = {.setup = setup, .t = t, .spec = t->c.spec};
    x.work = EXPLAIN_WORK;
    x.end = clock_ns() + (setup->limit_ms ? setup->limit_ms : LIMIT_MS) * (uint64_t)1000000 / 4 * 3;
    for (int i = -1; (i = explain_next(&x, i)) >= 0;) {
        x.bytes += explain_tensor(&x, i)->total;
        x.inputs[i] = explain_is_output(&x, i) ? NULL : t->blocks[i].write;
        x.got[i] = x.inputs[i] ? NULL : t->got[i].write;
        x.expected[i] = x.inputs[i] ? NULL : t->expected[i].write;
    }
    for (int i = 0; i < x.spec->index_count; i++) {
        x.indexed = true;
        x.updates |= x.spec->indices[i].distinct;
    }
    x.rows = x.spec->rows.field >= 0;
    explain_observe(&x, t->symptoms.diagnosis.shared, sizeof t->symptoms.diagnosis.shared);
    if (x.bytes <= EXPLAIN_BYTES)
        predict(&x);
    if (x.late) { /* what was not tried may hold, and what was found may be worse than it */
        x.found = 0;
        snprintf(t->symptoms.diagnosis.shared, sizeof t->symptoms.diagnosis.shared, "no time to explain");
    }
    enum explanation cause = choose_cause(&x);
    t->symptoms.diagnosis.explanations = x.found;
    t->symptoms.diagnosis.cause = (uint8_t)(cause < EXPLAIN_COUNT ? cause : 0);
    t->symptoms.diagnosis.rule =
        (int16_t)(cause < EXPLAIN_COUNT ? explanation_rule(x.spec, cause) : unexplained_rule(&x));
    t->symptoms.diagnosis.given = true;
}
