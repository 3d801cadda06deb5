/* Judges the outputs of operators with formulas, element by element. */
#include "harness/trial/computed_blocks.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/base/working.h"
#include "harness/spec/elements.h"
#include "harness/spec/outcome.h"
#include "harness/trial/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The walk over the same output with inputs in which zeros replace denormals: stages are computed from these, too. */
struct flushed_walk {
    struct walk walk;
    struct computed_output of;
    const uint8_t *tensors[OPDESC_MAX_TENSORS];
    uint8_t *copies[OPDESC_MAX_TENSORS]; /* of the inputs with denormals; null: the tensor has none */
    bool differs;                        /* an input has denormals */
};

struct judging {
    struct walk walk;
    struct flushed_walk *flushed; /* null: it is not needed yet */
    const struct computed_output *of;
    const struct spec_choice *tested; /* the choice of the rule that the case tests; null: that rule has none */
    unsigned width;                   /* the width of an element, in bits */
    struct comparison *out;
    struct {
        double share; /* of the largest error so far; 0: there is none */
        uint64_t number, offset;
        uint32_t coordinates[OPDESC_MAX_DIMENSIONS];
    } worst;
};

static void start_judging(struct walk *w, const struct computed_output *output)
{
    computed_start(w, output->spec, output->desc, output->item, output->tensors);
    w->operands.half = output->half && !w->operands.whole && w->operands.type == DML_TENSOR_DATA_TYPE_FLOAT32;
}

static void note_error(struct largest_error *largest, const struct accept_error *error)
{
    double share = fmin(error->share, LARGEST_SHARE);
    largest->measured = true;
    largest->ulps = fmax(largest->ulps, error->ulps);
    largest->share = fmax(largest->share, share);
}

/* Notes the place of the largest error as a share of the bound. */
static void note_worst(struct judging *j, double share, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    if (share <= j->worst.share)
        return;
    j->worst.share = share;
    j->worst.number = number;
    j->worst.offset = offset;
    memcpy(j->worst.coordinates, coordinates, j->walk.output->dims * sizeof *coordinates);
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
    if (j->walk.depends && !j->of->tolerance)
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

struct flushing {
    uint8_t *memory;
    unsigned type, width;
    bool some; /* an element was a denormal */
};

static bool flush_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct flushing *f = context;
    const uint64_t bits = element_get(f->width, f->memory, offset);
    (void)number, (void)coordinates;
    if (datatype_is_denormal(f->type, bits)) {
        element_put(f->width, f->memory, offset, bits & (uint64_t)1 << (f->width - 1));
        f->some = true;
    }
    return true;
}

/* Returns the walk with flushed inputs; null if memory runs out. */
static struct flushed_walk *flushed_walk_open(const struct computed_output *output)
{
    struct flushed_walk *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->of = *output;
    w->of.tensors = w->tensors;
    for (int i = -1; (i = spec_next_tensor(output->spec, output->desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &output->desc->items[i].tensor;
        const struct datatype *type = datatype_of(t->data_type);
        w->tensors[i] = output->tensors[i];
        if (!w->tensors[i] || !type->is_float || !field_is_input(spec_tensor_field(output->spec, i)))
            continue;
        struct flushing flushing = {.memory = malloc(t->total), .type = t->data_type, .width = type->bits};
        w->copies[i] = flushing.memory;
        if (!flushing.memory)
            continue;
        memcpy(flushing.memory, w->tensors[i], t->total);
        elements_each(t, flush_element, &flushing);
        w->tensors[i] = flushing.memory;
        w->differs |= flushing.some;
    }
    if (w->differs) {
        start_judging(&w->walk, &w->of);
        computed_leave_choices(&w->walk);
    }
    return w;
}

static void flushed_walk_close(struct flushed_walk *w)
{
    if (!w)
        return;
    if (w->differs)
        computed_end(&w->walk);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(w->copies[i]);
    free(w);
}

/* Judges a wrong element by the inputs without their denormals. accept_element() has flushed the operands of the
 * element's own formula only, not those of stages and of extremes of a tensor. */
static void judge_flushed(struct judging *j, uint64_t number, uint64_t got, const uint32_t *coordinates,
                          struct accept_verdict *verdict)
{
    struct accept_verdict flushed;
    if (!j->flushed)
        j->flushed = flushed_walk_open(j->of);
    if (!j->flushed || !j->flushed->differs)
        return;
    computed_go_to(&j->flushed->walk, number, coordinates);
    accept_element(j->flushed->walk.result, &j->flushed->walk.operands, got, &flushed);
    if (flushed.acceptance == ACCEPT_WRONG)
        return;
    verdict->acceptance = ACCEPT_SOFT;
    verdict->outcome = outcome_name(OUTCOME_FLUSHED);
    verdict->rule = flushed.rule;
}

/* Judges an element by its distance from the given one, or by the documents if they leave the element open. */
static void judge_by_tolerance(struct judging *j, uint64_t got, uint64_t offset, struct accept_verdict *verdict)
{
    const unsigned type = j->walk.output->data_type;
    const struct given_distance distance =
        given_distance_of(j->of->tolerance, type, computed_expected_at(j, offset), got);
    if (distance.share > 1 && accept_is_open(j->walk.result, &j->walk.operands)) {
        accept_element(j->walk.result, &j->walk.operands, got, verdict);
        verdict->measured = false; /* its error is that of the formula */
        return;
    }
    *verdict = (struct accept_verdict){.acceptance = distance.share <= 1 ? ACCEPT_RIGHT : ACCEPT_WRONG,
                                       .outcome = "",
                                       .rule = -1,
                                       .error = {.ulps = distance.ulps, .share = distance.share},
                                       .measured = isfinite(distance.ulps)};
}

/* Judges an element whose bits are not the expected ones. */
static void judge_other(struct judging *j, uint64_t number, uint64_t got, const uint32_t *coordinates, uint64_t offset,
                        struct accept_verdict *verdict)
{
    struct comparison *out = j->out;
    working_count();
    if (j->of->tolerance)
        judge_by_tolerance(j, got, offset, verdict);
    else
        accept_element(j->walk.result, &j->walk.operands, got, verdict);
    if (verdict->acceptance == ACCEPT_WRONG && !j->of->tolerance)
        judge_flushed(j, number, got, coordinates, verdict);
    if (verdict->measured) {
        note_error(&out->error, &verdict->error);
        note_worst(j, verdict->error.share, number, coordinates, offset);
    }
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
        computed_go_to(&j->walk, number, coordinates);
    bool same = computed_expected_at(j, offset) == got;
    if (same && !j->tested)
        return true;
    computed_go_to(&j->walk, number, coordinates);
    if (!same)
        judge_other(j, number, got, coordinates, offset, &verdict);
    if (j->tested ? accept_is_about(j->tested, &j->walk.operands) : *verdict.outcome && verdict.rule < 0) {
        enum outcome outcome = same || verdict.acceptance != ACCEPT_WRONG ? OUTCOME_EXPECTED : OUTCOME_OTHER;
        note_outcome(j->out, *verdict.outcome ? verdict.outcome : outcome_name(outcome));
    }
    return true;
}

/* ---- judging in blocks */

/* Sets the coordinates of an element of the output. */
static void computed_place(const struct opdesc_tensor *t, uint64_t number, uint32_t coordinates[OPDESC_MAX_DIMENSIONS])
{
    for (uint32_t d = t->dims; d-- > 0; number /= t->sizes[d])
        coordinates[d] = (uint32_t)(number % t->sizes[d]);
}

/* The exact results of a block, and the bounds around them; null: the correctly rounded result alone is right. */
struct block_bounds {
    const double *values, *soft, *must;
};

/* Returns true if every integer is right for the exact result, so that there is no error to measure. */
static bool is_open_integer(const struct judging *j, double value)
{
    const struct spec_result *result = j->walk.result;
    if (accept_fits(j->walk.output->data_type, value))
        return false;
    return !accept_is_integer(trunc(value), trunc(value)) || (result->overflow == OVERFLOW_OPEN && !result->bits);
}

/* Judges an element whose bits are not the expected ones, as judge_other() would. Returns false if that has to judge
 * it: it may be wrong, or right only because the documents leave a choice. */
static bool judge_in_block(struct judging *j, const struct block_bounds *bounds, int at, uint64_t number, uint64_t bits)
{
    const unsigned type = j->walk.output->data_type;
    const double value = bounds->values[at], got = datatype_to_double(type, &bits);
    struct accept_error error = {0};
    if (!datatype_of(type)->is_float)
        return is_open_integer(j, value);
    if (isnan(value) || isnan(got))
        return isnan(value) && isnan(got);
    if (!isfinite(value) || !isfinite(got) || value == 0 || got == 0)
        return false;
    const double rounded = real_round(type, value), distance = fabs(got - value);
    const double soft = bounds->soft ? accept_bound_of(bounds->soft[at]) : 0;
    if ((got < value - soft || got > value + soft) && got != rounded)
        return false;
    if (got != rounded) {
        error.ulps = distance / real_spacing(type, value);
        error.share = distance / (bounds->must ? accept_bound_of(bounds->must[at]) : 0);
    }
    note_error(&j->out->error, &error);
    if (error.share > j->worst.share) {
        uint32_t coordinates[OPDESC_MAX_DIMENSIONS];
        computed_place(j->walk.output, number, coordinates);
        note_worst(j, error.share, number, coordinates, number);
    }
    return true;
}

/* Judges the elements of the current block that differ from the expected ones. */
static void judge_block(struct judging *j, struct walk_blocks *b, const double *values)
{
    struct block_bounds bounds = {.values = values};
    bounds.soft = b->soft ? formula_blocks_run(b->soft, b->inputs, values, b->count) : NULL;
    bounds.must = b->must ? formula_blocks_run(b->must, b->inputs, values, b->count) : NULL;
    for (int i = 0; i < b->count; i++) {
        const uint64_t number = b->first + (uint64_t)i, got = element_get(j->width, j->of->got, number);
        uint32_t coordinates[OPDESC_MAX_DIMENSIONS];
        if (element_get(j->width, j->of->expected, number) == got || judge_in_block(j, &bounds, i, number, got))
            continue;
        computed_place(j->walk.output, number, coordinates);
        j->out->compared--;
        computed_judge_element(j, number, coordinates, number);
    }
}

/* Judges the whole output in blocks. Returns false, and does nothing, if it has to be judged element by element. The
 * formula must have one value: WITHIN gives it many. */
static bool judge_blocks(struct judging *j)
{
    const bool apply = !j->tested && !j->of->tolerance && !j->walk.operands.half;
    struct walk_blocks *b = apply ? walk_blocks_open(&j->walk, true) : NULL;
    if (!b || formula_blocks_are_wide(b->value)) {
        walk_blocks_close(b);
        return false;
    }
    const uint64_t elements = (uint64_t)opdesc_elements(j->walk.output);
    for (uint64_t first = 0; first < elements; first += BLOCK_ELEMENTS) {
        const uint64_t left = elements - first, count = left < BLOCK_ELEMENTS ? left : BLOCK_ELEMENTS;
        const uint64_t from = elements_bytes(j->width, first);
        j->out->compared += count;
        if (!elements_equal(j->width, j->of->expected + from, j->of->got + from, count))
            judge_block(j, b, walk_blocks_go_to(b, first));
    }
    walk_blocks_close(b);
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
    computed_go_to(&m->walk, number, coordinates);
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
    computed_leave_choices(&m.walk);
    m.width = datatype_of(m.walk.output->data_type)->bits;
    elements_each(m.walk.output, computed_match_element, &m);
    computed_end(&m.walk);
    return m.match;
}

/* ---- fitting other formulas to wrong elements */

enum { FITTED = 3 /* the most wrong elements that are looked at */ };

/* The first wrong elements of an output, and the walk that says how far a device may miss them. */
struct computed_fit {
    struct walk walk; /* of the operator's own formulas */
    const struct computed_output output;
    int count;
    struct {
        uint64_t number, got;
        uint32_t coordinates[OPDESC_MAX_DIMENSIONS];
    } wrong[FITTED];
};

static bool find_wrong(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct computed_fit *fit = context;
    const unsigned width = datatype_of(fit->walk.output->data_type)->bits;
    const uint64_t got = element_get(width, fit->output.got, offset);
    if (got == element_get(width, fit->output.expected, offset))
        return true;
    fit->wrong[fit->count].number = number;
    fit->wrong[fit->count].got = got;
    memcpy(fit->wrong[fit->count].coordinates, coordinates, fit->walk.output->dims * sizeof *coordinates);
    return ++fit->count < FITTED;
}

struct computed_fit *computed_fit_open(const struct computed_output *output)
{
    struct computed_fit *fit = malloc(sizeof *fit);
    if (!fit)
        return NULL;
    memcpy(fit, &(struct computed_fit){.output = *output}, sizeof *fit);
    start_judging(&fit->walk, output);
    computed_leave_choices(&fit->walk);
    elements_each(fit->walk.output, find_wrong, fit);
    return fit;
}

bool computed_fits(struct computed_fit *fit, const struct spec *spec, const struct opdesc *desc,
                   const struct folding_slip *slip)
{
    struct walk other;
    bool fits = true;
    if (fit->count == 0)
        return true;
    computed_start_values(&other, spec, desc, fit->output.item, fit->output.tensors, slip);
    for (int i = 0; i < fit->count && fits; i++) {
        uint64_t bits, got = fit->wrong[i].got;
        computed_go_to(&other, fit->wrong[i].number, fit->wrong[i].coordinates);
        computed_slipped_element(&other, &bits);
        if (bits == got)
            continue;
        computed_go_to(&fit->walk, fit->wrong[i].number, fit->wrong[i].coordinates);
        fits = accept_is_near(fit->walk.result, &fit->walk.operands, bits, got);
    }
    computed_end(&other);
    return fits;
}

void computed_fit_close(struct computed_fit *fit)
{
    if (fit)
        computed_end(&fit->walk);
    free(fit);
}

/* The walks of the description and of the other one, for the same output. Most elements are the same, or the first that
 * differs decides; so only values are computed until one differs. */
struct showing {
    const struct computed_output *of;
    struct walk values, other;
    struct walk right; /* if it is `judged`: it has the bounds and choices, too */
    bool judged;
    int left; /* elements that are still looked at */
    bool shows;
};

static bool show_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct showing *s = context;
    struct accept_verdict verdict = {.acceptance = ACCEPT_RIGHT};
    uint64_t expected = 0, got = 0;
    (void)offset;
    computed_go_to(&s->values, number, coordinates);
    accept_expected(s->values.result, &s->values.operands, &expected);
    computed_go_to(&s->other, number, coordinates);
    accept_expected(s->other.result, &s->other.operands, &got);
    if (got != expected) {
        if (!s->judged) {
            start_judging(&s->right, s->of);
            computed_leave_choices(&s->right);
            s->judged = true;
        }
        computed_go_to(&s->right, number, coordinates);
        accept_element(s->right.result, &s->right.operands, got, &verdict);
    }
    s->shows = verdict.acceptance == ACCEPT_WRONG;
    return !s->shows && --s->left > 0;
}

static bool computed_same_layout(const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    uint32_t strides[2][OPDESC_MAX_DIMENSIONS];
    opdesc_strides(a, strides[0]);
    opdesc_strides(b, strides[1]);
    return a->present == b->present && a->data_type == b->data_type && a->dims == b->dims &&
           memcmp(a->sizes, b->sizes, a->dims * sizeof *a->sizes) == 0 &&
           memcmp(strides[0], strides[1], a->dims * sizeof *strides[0]) == 0;
}

/* Returns true if the output `item` shows the other description. */
static bool output_shows(const struct spec *spec, const struct opdesc *desc, const struct opdesc *other, int item,
                         const uint8_t *const tensors[])
{
    enum { MOST = 128 };
    const struct computed_output of = {.spec = spec, .desc = desc, .item = item, .tensors = tensors};
    struct showing s = {.of = &of, .left = MOST};
    if (!computed_same_layout(&desc->items[item].tensor, &other->items[item].tensor))
        return true;
    computed_start_values(&s.values, spec, desc, item, tensors, NULL);
    computed_start_values(&s.other, spec, other, item, tensors, NULL);
    s.shows = s.values.depends;
    if (!s.shows)
        elements_each(s.values.output, show_element, &s);
    if (s.judged)
        computed_end(&s.right);
    computed_end(&s.values);
    computed_end(&s.other);
    return s.shows;
}

bool computed_shows(const struct spec *spec, const struct opdesc *desc, const struct opdesc *other,
                    uint8_t *const tensors[])
{
    bool shows = false;
    for (int i = -1; !shows && (i = spec_next_tensor(spec, desc, i)) >= 0;)
        if (desc->items[i].tensor.present && field_is_output(spec_tensor_field(spec, i)))
            shows = output_shows(spec, desc, other, i, (const uint8_t *const *)tensors);
    return shows;
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
    computed_go_to(&l->walk, number, coordinates);
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

/* Writes down the place of the largest error: coordinates, values and the operands, if no fold reads more of them. */
static void computed_print_worst(struct judging *j)
{
    enum { OPERANDS = 3 };
    struct wrong note;
    char text[2 * sizeof note.got + sizeof j->out->error_place];
    if (j->worst.share == 0)
        return;
    computed_go_to(&j->walk, j->worst.number, j->worst.coordinates);
    compare_note(j->walk.output, j->worst.coordinates, computed_expected_at(j, j->worst.offset),
                 element_get(j->width, j->of->got, j->worst.offset), &note);
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s: got %s, exact %s", note.coordinates, note.got, note.expected);
    for (int i = 0; i < j->walk.count && j->walk.count <= OPERANDS && !j->walk.folding && used < sizeof text; i++) {
        const struct cursor *c = &j->walk.cursors[i];
        const uint64_t bits = element_get(datatype_of(c->tensor->data_type)->bits, c->memory,
                                          computed_offset_at(&j->walk, c, j->worst.coordinates));
        datatype_print(c->tensor->data_type, &bits, note.got, sizeof note.got);
        used +=
            (size_t)snprintf(text + used, sizeof text - used, ", %s %s", j->walk.spec->tensor_names[c->item], note.got);
    }
    snprintf(j->out->error_place, sizeof j->out->error_place, "%.*s", (int)sizeof j->out->error_place - 1, text);
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
        computed_leave_choices(&j.walk);
    j.width = datatype_of(j.walk.output->data_type)->bits;
    out->error.measured = !j.walk.operands.whole;
    if (!judge_blocks(&j))
        elements_each(j.walk.output, computed_judge_element, &j);
    computed_print_worst(&j);
    flushed_walk_close(j.flushed);
    computed_end(&j.walk);
    out->first.count = out->wrong;
}
