#include "harness/trial/accept_internal.h"
#include "harness/trial/computed.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/spec/elements.h"
#include "harness/formula/operands.h"
#include "harness/spec/outcome.h"
#include "harness/formula/folding.h"

#include <math.h>
#include <string.h>

/* ---- operands of the formulas of an output */

/* A tensor whose elements formulas name. */
struct cursor {
    int item;
    const struct opdesc_tensor *tensor;
    const uint8_t *memory;
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    bool aligned; /* the tensor has the output's sizes */
};

struct walk {
    const struct spec *spec;
    const struct opdesc *desc;
    const uint8_t *const *tensors; /* the tensors by item */
    const struct spec_result *result;
    const struct opdesc_tensor *output;
    struct accept_operands operands;
    struct cursor cursors[OPDESC_MAX_TENSORS];
    int count;
    bool in_float;              /* a slip: integers are read as FLOAT32 */
    bool depends;               /* the right values depend on other outputs */
    bool numbered;              /* the formulas depend on the place of the element */
    bool placed;                /* the formulas depend on its coordinates */
    enum folding_extent extent; /* the part of the folds that each element needs */
    struct folding *folding;    /* null: there are no folds */
    const uint32_t *place;      /* the coordinates of the element */
    double least[OPDESC_MAX_TENSORS], greatest[OPDESC_MAX_TENSORS];
};

/* Returns the result of an output; if there are several, the one for the fused activation of the description. A legal
 * description has one; for another description the first is as good as any. */
static const struct spec_result *result_of(const struct spec *spec, const struct opdesc *desc, int item)
{
    const struct spec_result *first = NULL;
    for (int i = 0; i < spec->result_count; i++) {
        const struct spec_result *result = &spec->results[i];
        if (!spec_is(spec, item, result->field))
            continue;
        first = first ? first : result;
        if (spec_result_applies(result, desc))
            return result;
    }
    return first;
}

/* Calls `visit` for each operand of the result's formulas that is a tensor, with the fold of the formula; null if the
 * formula is not part of a fold. */
static void each_operand(const struct spec_result *result,
                         void (*visit)(struct walk *, const struct formula_node *, const struct spec_fold *),
                         struct walk *w)
{
    const struct tolerance *tolerance = &result->tolerances[w->output->data_type];
    const struct formula *formulas[3 + RESULT_MAX_CHOICES * (1 + RESULT_MAX_ALTERNATIVES) + FORMULA_MAX_FOLDS] = {
        &result->value, &tolerance->soft, &tolerance->must};
    int count = 3, outside;
    for (int i = 0; i < result->choice_count; i++) {
        formulas[count++] = &result->choices[i].when;
        for (int n = 0; n < result->choices[i].count; n++)
            formulas[count++] = &result->choices[i].alternatives[n].value;
    }
    outside = count;
    for (int i = 0; i < result->fold_count; i++)
        formulas[count++] = &result->folds[i].value;
    for (int i = 0; i < count; i++)
        for (int n = 0; n < formulas[i]->count; n++)
            if (formulas[i]->nodes[n].op >= FORMULA_ELEMENT && formulas[i]->nodes[n].op <= FORMULA_GREATEST_OF)
                visit(w, &formulas[i]->nodes[n], i < outside ? NULL : &result->folds[i - outside]);
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

/* Returns true if integers are computed: no tensor holds real numbers, or all count as bit patterns. */
static bool computed_is_whole(const struct spec *spec, const struct opdesc *desc, const struct spec_result *result,
                              int output)
{
    bool reals = datatype_of(desc->items[output].tensor.data_type)->is_float;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.present && field_is_input(spec_tensor_field(spec, i)))
            reals |= datatype_of(desc->items[i].tensor.data_type)->is_float;
    return result->bits || !reals;
}

/* The tensor that take_extreme() reads, and the extremes that it finds. */
struct extremes {
    unsigned type;
    const uint8_t *memory;
    double *least, *greatest;
};

static bool take_extreme(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct extremes *e = context;
    uint64_t bits = element_get(datatype_of(e->type)->bits, e->memory, offset);
    double value = datatype_to_double(e->type, &bits);
    (void)coordinates;
    if (number == 0 || isnan(value) || value < *e->least) /* a NaN stays */
        *e->least = value;
    if (number == 0 || isnan(value) || value > *e->greatest)
        *e->greatest = value;
    return true;
}

/* Returns true if a fold determines the places of the input's elements. */
static bool is_input_of(const struct spec_fold *fold, int item)
{
    for (int n = 0; n < fold->tensor_count; n++)
        if (fold->tensors[n].item == item)
            return true;
    return false;
}

static bool computed_is_folded(const struct spec_result *result, int item)
{
    for (int i = 0; i < result->fold_count; i++)
        if (is_input_of(&result->folds[i], item))
            return true;
    return false;
}

static bool refold(void *context, struct accept_operands *of)
{
    const struct walk *w = context;
    struct folding_reading reading = {.flushed = of->flushed, .halved = of->halved, .half = of->reals.half};
    of->complete = NULL;
    return folding_reals(w->folding, w->place, FOLDING_ALL, &reading, &of->reals);
}

static void complete(void *context, struct accept_operands *of)
{
    const struct walk *w = context;
    folding_reals(w->folding, w->place, FOLDING_REST, NULL, &of->reals);
}

/* Adds a tensor that a formula names, unless it has been added: a cursor, or its extremes. An element of a fold's own
 * input changes with each step; any other element is at the output's coordinates. */
static void add_operand(struct walk *w, const struct formula_node *node, const struct spec_fold *fold)
{
    int item = node->field;
    const struct opdesc_tensor *t = &w->desc->items[item].tensor;
    bool used = (unsigned)(item - spec_item(w->spec, w->spec->tensor_fields[item])) <
                opdesc_count(w->desc, w->spec->tensor_fields[item]);
    w->depends |= node->op == FORMULA_OUTPUT;
    if (node->op == FORMULA_SPACING_OF || !used || !t->present || !w->tensors[item])
        return;
    if (node->op == FORMULA_LEAST_OF || node->op == FORMULA_GREATEST_OF) {
        struct extremes extremes = {t->data_type, w->tensors[item], &w->least[item], &w->greatest[item]};
        elements_each(t, take_extreme, &extremes);
        w->operands.reals.least = w->least;
        w->operands.reals.greatest = w->greatest;
        return;
    }
    w->numbered |= computed_is_folded(w->result, item);
    if (fold && is_input_of(fold, item))
        return;
    for (int i = 0; i < w->count; i++)
        if (w->cursors[i].item == item)
            return;
    struct cursor *cursor = &w->cursors[w->count++];
    *cursor = (struct cursor){.item = item, .tensor = t, .memory = w->tensors[item]};
    cursor->aligned = t->dims == w->output->dims && memcmp(t->sizes, w->output->sizes, t->dims * sizeof *t->sizes) == 0;
    opdesc_strides(t, cursor->strides);
}

static void computed_start(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                           const uint8_t *const tensors[])
{
    *w = (struct walk){.spec = spec, .desc = desc, .tensors = tensors, .output = &desc->items[output].tensor};
    w->result = result_of(spec, desc, output);
    w->operands.type = w->output->data_type;
    w->operands.whole = computed_is_whole(spec, desc, w->result, output);
    operands_of(spec, desc, w->operands.type, &w->operands.reals, &w->operands.integers);
    each_operand(w->result, add_operand, w);
    w->folding = w->result->fold_count ? folding_new(spec, desc, w->result, output, tensors) : NULL;
    w->numbered = w->result->fold_count > 0;
    if (w->folding && !w->operands.whole) {
        w->extent = FOLDING_ALL;
        w->operands.refold = refold;
        w->operands.folds = w;
    }
    for (int i = 0; i < w->result->value.count; i++)
        w->placed |= w->result->value.nodes[i].op == FORMULA_COORDINATE;
    for (int i = 0; i < w->result->value.count; i++)
        w->numbered |= w->placed || w->result->value.nodes[i].op == FORMULA_NUMBER;
}

/* Returns true if the result itself needs more of its folds than their values and counts. */
static bool needs_parts(const struct spec_result *result)
{
    uint32_t needed = folding_needed(result);
    bool needs = false;
    for (int i = -1; i < result->fold_count; i++) {
        if (i >= 0 && !(needed >> i & 1))
            continue;
        const struct formula *formula = i < 0 ? &result->value : &result->folds[i].value;
        for (int n = 0; n < formula->count; n++)
            needs |= formula->nodes[n].op == FORMULA_INEXACT ||
                     ((formula->nodes[n].op == FORMULA_FOLD || formula->nodes[n].op == FORMULA_ELSEWHERE) &&
                      formula->nodes[n].value > FOLD_COUNT);
    }
    return needs;
}

static void computed_end(struct walk *w)
{
    folding_free(w->folding);
    w->folding = NULL;
}

/* Returns the offset of the input's element at the output's coordinates. If the input has fewer elements along a
 * dimension, each stands for a block of the output's. */
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

static void take_element(struct walk *w, const struct cursor *cursor, uint64_t bits)
{
    unsigned type = cursor->tensor->data_type;
    const struct datatype *t = datatype_of(type);
    if (!w->operands.whole)
        w->operands.reals.elements[cursor->item] =
            w->in_float ? (double)(float)datatype_to_double(type, &bits) : datatype_to_double(type, &bits);
    else if (w->result->bits || !t->is_signed)
        w->operands.integers.elements[cursor->item] = (formula_integer)bits;
    else
        w->operands.integers.elements[cursor->item] = datatype_to_integer(type, &bits);
}

static uint64_t computed_bits_at(const struct walk *w, int cursor, const uint32_t *coordinates)
{
    const struct cursor *c = &w->cursors[cursor];
    return element_get(datatype_of(c->tensor->data_type)->bits, c->memory, offset_at(w, c, coordinates));
}

static void go_to(struct walk *w, uint64_t number, const uint32_t *coordinates)
{
    w->operands.reals.number = (double)number;
    w->operands.integers.number = (formula_integer)number;
    for (uint32_t d = 0; w->placed && d < w->output->dims; d++) {
        w->operands.reals.coordinates[d] = coordinates[w->output->dims - 1 - d];
        w->operands.integers.coordinates[d] = coordinates[w->output->dims - 1 - d];
    }
    for (int i = 0; i < w->count; i++)
        take_element(w, &w->cursors[i], computed_bits_at(w, i, coordinates));
    w->place = coordinates;
    if (w->folding && w->operands.whole)
        folding_integers(w->folding, coordinates, &w->operands.integers);
    else if (w->folding)
        folding_reals(w->folding, coordinates, w->extent, NULL, &w->operands.reals);
}

/* ---- slips */

/* Makes a slip from now on. */
static void computed_slip(struct walk *w, const struct folding_slip *slip)
{
    bool in_float = slip && slip->kind == SLIP_IN_FLOAT && !w->result->bits;
    if (w->folding)
        folding_set_slip(w->folding, slip);
    if (in_float && w->operands.whole) {
        w->in_float = true;
        w->operands.whole = false;
    }
}

/* Computes the element with the slip. */
static void computed_slipped_element(const struct walk *w, uint64_t *bits)
{
    if (!w->in_float || datatype_of(w->operands.type)->is_float) {
        accept_expected(w->result, &w->operands, bits);
        return;
    }
    double value = (double)(float)formula_real(&w->result->value, &w->operands.reals);
    *bits = fabs(value) < 0x1p100 ? accept_wrapped(w->operands.type, (formula_integer)value) : 0;
}

/* ---- running */

/* Large tensors repeat few elements, since they are broadcast or have 8 bits: their results are kept. */
enum { KNOWN_COUNT = 1024, KNOWN_OPERANDS = 3 };

struct known {
    bool valid;
    uint64_t operands[KNOWN_OPERANDS], result; /* bits */
};

struct running {
    struct walk walk;
    uint8_t *output;
    unsigned width; /* the width of an element, in bits */
    struct known known[KNOWN_COUNT];
};

static bool run_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct running *r = context;
    uint64_t bits;
    go_to(&r->walk, number, coordinates);
    computed_slipped_element(&r->walk, &bits);
    element_put(r->width, r->output, offset, bits);
    return true;
}

static bool run_known(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct running *r = context;
    uint64_t operands[KNOWN_OPERANDS] = {0}, hash = 0;
    for (int i = 0; i < r->walk.count; i++) {
        operands[i] = computed_bits_at(&r->walk, i, coordinates);
        hash = random_mix(hash + operands[i]);
    }
    struct known *known = &r->known[hash % KNOWN_COUNT];
    (void)number;
    if (!known->valid || memcmp(known->operands, operands, sizeof operands) != 0) {
        for (int i = 0; i < r->walk.count; i++)
            take_element(&r->walk, &r->walk.cursors[i], operands[i]);
        computed_slipped_element(&r->walk, &known->result);
        memcpy(known->operands, operands, sizeof operands);
        known->valid = true;
    }
    element_put(r->width, r->output, offset, known->result);
    return true;
}

void computed_run(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[])
{
    computed_run_slipped(spec, desc, tensors, NULL);
}

void computed_run_slipped(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                          const struct folding_slip *slip)
{
    struct running r;
    for (int pass = 0; pass < 2; pass++) /* outputs that depend on others come last */
        for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
            if (!desc->items[i].tensor.present || !field_is_output(spec_tensor_field(spec, i)))
                continue;
            computed_start(&r.walk, spec, desc, i, (const uint8_t *const *)tensors);
            r.walk.extent = needs_parts(r.walk.result) ? FOLDING_NEAR : FOLDING_VALUE;
            computed_slip(&r.walk, slip);
            r.output = tensors[i];
            r.width = datatype_of(desc->items[i].tensor.data_type)->bits;
            bool keeps =
                !r.walk.numbered && r.walk.count <= KNOWN_OPERANDS && opdesc_elements(r.walk.output) >= 4 * KNOWN_COUNT;
            if (keeps)
                memset(r.known, 0, sizeof r.known);
            if (r.walk.depends == (pass == 1))
                elements_each(r.walk.output, keeps ? run_known : run_element, &r);
            computed_end(&r.walk);
        }
}

HRESULT oracle_open(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                    struct oracle *out)
{
    out->spec = spec;
    out->desc = desc;
    out->computed = computed_applies(spec);
    return out->computed ? S_OK : plugin_make(reference, spec, desc, &out->reference);
}

HRESULT oracle_compute(const struct oracle *oracle, uint8_t *const tensors[])
{
    if (!oracle->computed)
        return plugin_run(&oracle->reference, tensors);
    computed_run(oracle->spec, oracle->desc, tensors);
    return S_OK;
}

void oracle_close(struct oracle *oracle)
{
    if (!oracle->computed)
        plugin_destroy(&oracle->reference);
}

HRESULT oracle_run(const struct plugin *reference, const struct spec *spec, const struct opdesc *desc,
                   uint8_t *const tensors[])
{
    struct oracle oracle;
    HRESULT status = oracle_open(reference, spec, desc, &oracle);
    if (SUCCEEDED(status))
        status = oracle_compute(&oracle, tensors);
    oracle_close(&oracle);
    return status;
}

/* ---- comparing */

struct judging {
    struct walk walk;
    const struct computed_output *of;
    const struct spec_choice *tested; /* the choice of the rule that the case tests; null: that rule has none */
    unsigned width;                   /* the width of an element, in bits */
    struct comparison *out;
};

static void start_judging(struct walk *w, const struct computed_output *output)
{
    computed_start(w, output->spec, output->desc, output->item, output->tensors);
    w->operands.half = output->half && !w->operands.whole && w->operands.type == DML_TENSOR_DATA_TYPE_FLOAT32;
}

/* Leaves the operands that only choices need out of the next evaluation: they are evaluated when a choice is judged. */
static void leave_choices(struct walk *w)
{
    if (w->operands.refold) {
        w->extent = FOLDING_NEAR;
        w->operands.complete = complete;
    }
}

static void note_error(struct largest_error *largest, const struct accept_error *error)
{
    double share = fmin(error->share, LARGEST_SHARE);
    largest->measured = true;
    largest->ulps = fmax(largest->ulps, error->ulps);
    largest->share = fmax(largest->share, share);
}

/* Notes an outcome of an element that the tested rule is about; different elements may show different outcomes. */
static void note_outcome(struct comparison *out, const char *outcome)
{
    out->outcome = !*out->outcome || strcmp(out->outcome, outcome) == 0 ? outcome : outcome_name(OUTCOME_EACH);
}

static bool is_unwritten(const struct judging *j, uint64_t offset, uint64_t got)
{
    return j->of->prefill && compare_prefill_element(j->of->prefill, j->width, offset) == got;
}

/* Returns the bits that the device should have written. If they depend on its other outputs, they are not in
 * `expected`. */
static uint64_t computed_expected_at(struct judging *j, uint64_t offset)
{
    uint64_t bits = element_get(j->width, j->of->expected, offset);
    if (j->walk.depends)
        accept_expected(j->walk.result, &j->walk.operands, &bits);
    return bits;
}

static void note_first(struct judging *j, enum agreement agreement, const uint32_t *coordinates, uint64_t offset)
{
    if (agreement <= j->out->agreement)
        return;
    j->out->agreement = agreement;
    compare_note(j->walk.output, coordinates, computed_expected_at(j, offset),
                 element_get(j->width, j->of->got, offset), &j->out->first);
}

/* Judges an element whose bits are not those of the correctly rounded result. */
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

static bool computed_judge_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct judging *j = context;
    struct accept_verdict verdict = {.acceptance = ACCEPT_RIGHT, .rule = -1, .outcome = ""};
    j->out->compared++;
    uint64_t got = element_get(j->width, j->of->got, offset);
    if (j->walk.depends)
        go_to(&j->walk, number, coordinates);
    bool same = computed_expected_at(j, offset) == got;
    if (same && !j->tested)
        return true;
    go_to(&j->walk, number, coordinates);
    if (!same)
        judge_other(j, number, got, coordinates, offset, &verdict);
    if (j->tested ? accept_is_about(j->tested, &j->walk.operands) : *verdict.outcome && verdict.rule < 0) {
        enum outcome outcome = same || verdict.acceptance != ACCEPT_WRONG ? OUTCOME_EXPECTED : OUTCOME_OTHER;
        note_outcome(j->out, *verdict.outcome ? verdict.outcome : outcome_name(outcome));
    }
    return true;
}

struct matching {
    struct walk walk;
    const uint8_t *predicted, *expected, *got;
    unsigned width; /* the width of an element, in bits */
    bool match;
};

static bool computed_match_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct matching *m = context;
    uint64_t predicted = element_get(m->width, m->predicted, offset), got = element_get(m->width, m->got, offset);
    if (predicted == got)
        return true;
    go_to(&m->walk, number, coordinates);
    m->match = accept_is_near(m->walk.result, &m->walk.operands, predicted, got);
    if (m->match && predicted == element_get(m->width, m->expected, offset)) {
        struct accept_verdict verdict;
        accept_element(m->walk.result, &m->walk.operands, got, &verdict);
        m->match = verdict.acceptance == ACCEPT_RIGHT;
    }
    return m->match;
}

bool computed_matches(const struct computed_output *output, const uint8_t *predicted)
{
    struct matching m = {.predicted = predicted, .expected = output->expected, .got = output->got, .match = true};
    start_judging(&m.walk, output);
    leave_choices(&m.walk);
    m.width = datatype_of(m.walk.output->data_type)->bits;
    elements_each(m.walk.output, computed_match_element, &m);
    computed_end(&m.walk);
    return m.match;
}

/* The elements that computed_fit_element() visits. */
struct fitting {
    struct walk walk;
    const uint8_t *expected, *got;
    unsigned width; /* of an element, in bits */
    int left;       /* elements that are still looked at */
    bool fits;
};

static bool computed_fit_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct fitting *f = context;
    uint64_t got = element_get(f->width, f->got, offset), bits;
    if (got == element_get(f->width, f->expected, offset))
        return true;
    go_to(&f->walk, number, coordinates);
    computed_slipped_element(&f->walk, &bits);
    f->fits = bits == got || accept_is_near(f->walk.result, &f->walk.operands, bits, got);
    return f->fits && --f->left > 0;
}

bool computed_fits(const struct computed_output *output, const struct folding_slip *slip, int most)
{
    struct fitting f = {.expected = output->expected, .got = output->got, .left = most, .fits = true};
    start_judging(&f.walk, output);
    leave_choices(&f.walk);
    computed_slip(&f.walk, slip);
    f.width = datatype_of(f.walk.output->data_type)->bits;
    elements_each(f.walk.output, computed_fit_element, &f);
    computed_end(&f.walk);
    return f.fits;
}

struct listing {
    struct walk walk;
    computed_visit visit;
    void *context;
};

static bool list_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct listing *l = context;
    struct accept_ranges right;
    go_to(&l->walk, number, coordinates);
    accept_ranges(l->walk.result, &l->walk.operands, &right);
    l->visit(l->context, number, offset, &right);
    return true;
}

void computed_each_range(const struct computed_output *output, computed_visit visit, void *context)
{
    struct listing l = {.visit = visit, .context = context};
    computed_start(&l.walk, output->spec, output->desc, output->item, output->tensors);
    elements_each(l.walk.output, list_element, &l);
    computed_end(&l.walk);
}

bool computed_depends(const struct computed_output *output)
{
    struct walk w;
    computed_start(&w, output->spec, output->desc, output->item, output->tensors);
    computed_end(&w);
    return w.depends;
}

void computed_compare(const struct computed_output *output, struct comparison *out)
{
    struct judging j = {.of = output, .out = out};
    *out = (struct comparison){.agreement = AGREES, .soft_rule = -1, .soft_outcome = "", .outcome = ""};
    start_judging(&j.walk, output);
    for (int i = 0; i < j.walk.result->choice_count; i++)
        if (output->rule >= 0 && j.walk.result->choices[i].rule == output->rule)
            j.tested = &j.walk.result->choices[i];
    if (!j.tested)
        leave_choices(&j.walk);
    j.width = datatype_of(j.walk.output->data_type)->bits;
    out->error.measured = !j.walk.operands.whole;
    elements_each(j.walk.output, computed_judge_element, &j);
    computed_end(&j.walk);
    out->first.count = out->wrong;
}
