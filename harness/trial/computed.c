#include "harness/trial/computed.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/case/elements.h"
#include "harness/spec/operands.h"
#include "harness/spec/outcome.h"
#include "harness/trial/accept.h"

#include <math.h>
#include <string.h>

/* ---- what the formulas of an output see */

/* An input whose elements a formula names. */
struct cursor {
    int field;
    const struct opdesc_tensor *tensor;
    const uint8_t *memory;
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    bool aligned; /* it has the output's sizes */
};

struct walk {
    const struct spec *spec;
    const struct spec_result *result;
    const struct opdesc_tensor *output;
    struct accept_operands operands;
    struct cursor cursors[OPDESC_MAX_FIELDS];
    int count;
};

static const struct spec_result *result_of(const struct spec *spec, int item)
{
    for (int i = 0; i < spec->result_count; i++)
        if (spec_is(spec, item, spec->results[i].field))
            return &spec->results[i];
    return NULL;
}

bool computed_applies(const struct spec *spec)
{
    for (int i = 0; i < spec->field_count; i++) {
        int of = 0;
        while (of < spec->result_count && spec->results[of].field != i)
            of++;
        if (field_is_output(&spec->fields[i]) && of == spec->result_count)
            return false;
    }
    return true;
}

/* Whether integers are computed: no tensor holds real numbers, or all count as bit patterns. */
static bool is_whole(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result, int output)
{
    bool reals = datatype_of(desc->items[output].tensor.data_type)->is_float;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.present && field_is_input(spec_tensor_field(spec, i)))
            reals |= datatype_of(desc->items[i].tensor.data_type)->is_float;
    return result->bits || !reals;
}

static void start(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                  const uint8_t *const tensors[])
{
    *w = (struct walk){.spec = spec, .result = result_of(spec, output), .output = &desc->items[output].tensor};
    w->operands.type = w->output->data_type;
    w->operands.whole = is_whole(spec, desc, w->result, output);
    operands_of(spec, desc, w->operands.type, &w->operands.reals, &w->operands.integers);
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        if (!t->present || !tensors[i] || spec_tensor_field(spec, i)->kind != FIELD_INPUT)
            continue;
        struct cursor *cursor = &w->cursors[w->count++];
        *cursor = (struct cursor){.field = spec->tensor_fields[i], .tensor = t, .memory = tensors[i]};
        cursor->aligned =
            t->dims == w->output->dims && memcmp(t->sizes, w->output->sizes, t->dims * sizeof *t->sizes) == 0;
        opdesc_strides(t, cursor->strides);
    }
}

/* The input's element at the output's coordinates. Where the input has fewer elements along a dimension, each stands
 * for a block of the output's. */
static uint64_t offset_at(const struct walk *w, const struct cursor *cursor, const uint32_t *coordinates)
{
    uint64_t offset = 0;
    for (uint32_t d = 0; d < cursor->tensor->dims; d++) {
        uint32_t from = d + w->output->dims - cursor->tensor->dims; /* right-aligned */
        uint64_t at = from < w->output->dims ? coordinates[from] : 0;
        if (!cursor->aligned)
            at = from < w->output->dims ? at * cursor->tensor->sizes[d] / w->output->sizes[from] : 0;
        offset += at * cursor->strides[d];
    }
    return offset;
}

static void read_element(struct walk *w, const struct cursor *cursor, uint64_t offset)
{
    unsigned type = cursor->tensor->data_type;
    const struct datatype *t = datatype_of(type);
    uint64_t bits = element_get(t->bits, cursor->memory, offset);
    if (!w->operands.whole)
        w->operands.reals.elements[cursor->field] = datatype_to_double(type, &bits);
    else if (w->result->bits || !t->is_signed)
        w->operands.integers.elements[cursor->field] = (formula_integer)bits;
    else
        w->operands.integers.elements[cursor->field] = datatype_to_integer(type, &bits);
}

static void go_to(struct walk *w, const uint32_t *coordinates)
{
    for (int i = 0; i < w->count; i++) {
        const struct cursor *cursor = &w->cursors[i];
        read_element(w, cursor, offset_at(w, cursor, coordinates));
    }
}

/* ---- running */

struct running {
    struct walk walk;
    uint8_t *output;
    unsigned width; /* of an element, in bits */
};

static bool run_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct running *r = context;
    uint64_t bits;
    (void)number;
    go_to(&r->walk, coordinates);
    accept_expected(r->walk.result, &r->walk.operands, &bits);
    element_put(r->width, r->output, offset, bits);
    return true;
}

void computed_run(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[])
{
    struct running r;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        if (!desc->items[i].tensor.present || !field_is_output(spec_tensor_field(spec, i)))
            continue;
        start(&r.walk, spec, desc, i, (const uint8_t *const *)tensors);
        r.output = tensors[i];
        r.width = datatype_of(desc->items[i].tensor.data_type)->bits;
        elements_each(r.walk.output, run_element, &r);
    }
}

HRESULT oracle_run(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[])
{
    if (!computed_applies(spec))
        return plugin_run(reference, spec, desc, tensors);
    computed_run(spec, desc, tensors);
    return S_OK;
}

/* ---- comparing */

struct judging {
    struct walk walk;
    const struct computed_output *of;
    const struct spec_choice *tested; /* the choice of the rule that the case tests; null: that rule has none */
    unsigned width;                   /* of an element, in bits */
    struct comparison *out;
};

static void note_error(struct largest_error *largest, const struct accept_error *error)
{
    double share = fmin(error->share, LARGEST_SHARE);
    largest->measured = true;
    largest->ulps = fmax(largest->ulps, error->ulps);
    largest->share = fmax(largest->share, share);
}

/* An element that the tested rule is about shows an outcome; different elements may show different ones. */
static void note_outcome(struct comparison *out, const char *outcome)
{
    out->outcome = !*out->outcome || strcmp(out->outcome, outcome) == 0 ? outcome : outcome_name(OUTCOME_EACH);
}

static bool is_unwritten(const struct judging *j, uint64_t offset, uint64_t got)
{
    return j->of->prefill && compare_prefill_element(j->of->prefill, j->width, offset) == got;
}

static void note_first(struct judging *j, enum agreement agreement, const uint32_t *coordinates, uint64_t offset)
{
    if (agreement <= j->out->agreement)
        return;
    j->out->agreement = agreement;
    compare_note(j->walk.output, coordinates, element_get(j->width, j->of->expected, offset),
                 element_get(j->width, j->of->got, offset), &j->out->first);
}

/* An element whose bits are not those of the correctly rounded result. */
static void judge_other(struct judging *j, uint64_t number, uint64_t got, const uint32_t *coordinates, uint64_t offset,
                        struct accept_verdict *verdict)
{
    struct comparison *out = j->out;
    accept_element(j->walk.result, &j->walk.operands, got, verdict);
    if (verdict->measured)
        note_error(&out->error, &verdict->error);
    if (verdict->acceptance == ACCEPT_RIGHT)
        return;
    out->checksum = random_mix(random_mix(out->checksum + number + 1) + got);
    if (verdict->acceptance == ACCEPT_SOFT) {
        if (out->soft++ == 0 || (out->soft_rule < 0 && verdict->rule >= 0)) {
            out->soft_rule = verdict->rule;
            out->soft_outcome = verdict->outcome;
        }
        note_first(j, AGREES_SOFTLY, coordinates, offset);
        return;
    }
    out->wrong++;
    out->unwritten += is_unwritten(j, offset, got);
    note_first(j, DIFFERS, coordinates, offset);
}

static bool judge_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct judging *j = context;
    struct accept_verdict verdict = {.acceptance = ACCEPT_RIGHT, .rule = -1, .outcome = ""};
    j->out->compared++;
    uint64_t got = element_get(j->width, j->of->got, offset);
    bool same = element_get(j->width, j->of->expected, offset) == got;
    if (same && !j->tested)
        return true;
    go_to(&j->walk, coordinates);
    if (!same)
        judge_other(j, number, got, coordinates, offset, &verdict);
    if (j->tested ? accept_is_about(j->tested, &j->walk.operands) : *verdict.outcome && verdict.rule < 0)
        note_outcome(j->out, *verdict.outcome                             ? verdict.outcome
                             : same || verdict.acceptance != ACCEPT_WRONG ? outcome_name(OUTCOME_EXPECTED)
                                                                          : outcome_name(OUTCOME_OTHER));
    return true;
}

struct matching {
    struct walk walk;
    const uint8_t *predicted, *got;
    unsigned width; /* of an element, in bits */
    bool match;
};

static bool match_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct matching *m = context;
    (void)number;
    uint64_t predicted = element_get(m->width, m->predicted, offset), got = element_get(m->width, m->got, offset);
    if (predicted == got)
        return true;
    go_to(&m->walk, coordinates);
    m->match = accept_is_near(m->walk.result, &m->walk.operands, predicted, got);
    return m->match;
}

bool computed_matches(const struct computed_output *output, const uint8_t *predicted)
{
    struct matching m = {.predicted = predicted, .got = output->got, .match = true};
    start(&m.walk, output->spec, output->desc, output->item, output->inputs);
    m.width = datatype_of(m.walk.output->data_type)->bits;
    elements_each(m.walk.output, match_element, &m);
    return m.match;
}

void computed_compare(const struct computed_output *output, struct comparison *out)
{
    struct judging j = {.of = output, .out = out};
    *out = (struct comparison){.agreement = AGREES, .soft_rule = -1, .soft_outcome = "", .outcome = ""};
    start(&j.walk, output->spec, output->desc, output->item, output->inputs);
    for (int i = 0; i < j.walk.result->choice_count; i++)
        if (output->rule >= 0 && j.walk.result->choices[i].rule == output->rule)
            j.tested = &j.walk.result->choices[i];
    j.width = datatype_of(j.walk.output->data_type)->bits;
    out->error.measured = !j.walk.operands.whole;
    elements_each(j.walk.output, judge_element, &j);
    out->first.count = out->wrong;
}
