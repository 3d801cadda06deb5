#include "harness/trial/computed_blocks.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/base/working.h"
#include "harness/spec/elements.h"
#include "harness/formula/operands.h"
#include "harness/spec/outcome.h"
#include "harness/formula/folding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands of the formulas of an output */

/* Returns the result of an output; if there are several, the one for the fused activation of the description. A legal
 * description has one; for another description the first is as good as any. */
const struct spec_result *computed_result_of(const struct spec *spec, const struct opdesc *desc, int item)
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

/* Calls `visit` for each node of the result's formulas, with the fold of the formula; null if the formula is no part of
 * a fold. */
static void each_node(const struct spec_result *result,
                      void (*visit)(struct walk *, const struct formula_node *, const struct spec_fold *),
                      struct walk *w)
{
    const struct tolerance *tolerance = &result->tolerances[w->output->data_type];
    const struct formula *formulas[3 + RESULT_MAX_CHOICES * (1 + RESULT_MAX_ALTERNATIVES) + FORMULA_MAX_FOLDS] = {
        &result->value, &tolerance->soft, &tolerance->must};
    int count = w->only_values ? 1 : 3, outside;
    for (int i = 0; i < result->choice_count && !w->only_values; i++) {
        formulas[count++] = &result->choices[i].when;
        for (int n = 0; n < result->choices[i].count; n++)
            formulas[count++] = &result->choices[i].alternatives[n].value;
    }
    outside = count;
    for (int i = 0; i < result->fold_count; i++)
        formulas[count++] = &result->folds[i].value;
    for (int i = 0; i < count; i++)
        for (int n = 0; n < formulas[i]->count && (i < outside || w->folds >> (i - outside) & 1); n++)
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
    return result->bits || !(reals || spec->stage_count);
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
    bool is_stage = item >= spec_stage_item(w->spec, 0);
    bool used = is_stage || (unsigned)(item - spec_item(w->spec, w->spec->tensor_fields[item])) <
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

static void computed_add_node(struct walk *w, const struct formula_node *node, const struct spec_fold *fold)
{
    w->placed |= node->op == FORMULA_COORDINATE;
    w->numbered |= node->op == FORMULA_COORDINATE || node->op == FORMULA_NUMBER;
    if (node->op >= FORMULA_ELEMENT && node->op <= FORMULA_GREATEST_OF)
        add_operand(w, node, fold);
}

/* Returns the extent of the folds that the result itself needs: whole ones if it needs more of a fold than its value
 * and count. */
static enum folding_extent computed_value_extent(const struct spec_result *result)
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
    return needs ? FOLDING_NEAR : FOLDING_VALUE;
}

void computed_start_with(struct walk *w, const struct spec *spec, const struct opdesc *desc,
                         const struct spec_result *result, int output, const uint8_t *const tensors[], bool only_values)
{
    *w = (struct walk){.spec = spec, .desc = desc, .tensors = tensors, .output = &desc->items[output].tensor};
    w->result = result;
    w->only_values = only_values;
    w->folds = only_values ? folding_evaluated(result) : UINT32_MAX;
    w->operands.type = w->output->data_type;
    w->operands.whole = computed_is_whole(spec, desc, w->result, output);
    operands_of(spec, desc, w->operands.type, &w->operands.reals, &w->operands.integers);
    each_node(w->result, computed_add_node, w);
    w->folding = w->result->fold_count
                     ? folding_new(spec, desc, w->result, output, tensors, &w->operands.reals, w->folds)
                     : NULL;
    w->numbered |= w->result->fold_count > 0;
    if (w->folding && !w->operands.whole) {
        w->extent = only_values ? computed_value_extent(w->result) : FOLDING_ALL;
        w->operands.refold = refold;
        w->operands.folds = w;
    }
}

void computed_end(struct walk *w)
{
    folding_free(w->folding);
    w->folding = NULL;
    computed_stages_close(w->stages);
    w->stages = NULL;
}

uint64_t computed_offset_at(const struct walk *w, const struct cursor *cursor, const uint32_t *coordinates)
{
    uint64_t offset = 0;
    for (uint32_t d = 0; d < cursor->tensor->dims; d++) {
        uint32_t from = d + w->output->dims - cursor->tensor->dims; /* right-aligned */
        uint64_t at = from < w->output->dims ? coordinates[from] : 0;
        if (w->modulo)
            at %= cursor->tensor->sizes[d];
        else if (!cursor->aligned)
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
    return element_get(datatype_of(c->tensor->data_type)->bits, c->memory, computed_offset_at(w, c, coordinates));
}

void computed_go_to(struct walk *w, uint64_t number, const uint32_t *coordinates)
{
    working_count();
    w->operands.reals.number = (double)number;
    w->operands.integers.number = (formula_integer)number;
    for (uint32_t d = 0; w->placed && d < w->output->dims; d++) {
        w->operands.reals.coordinates[d] = coordinates[w->output->dims - 1 - d];
        w->operands.integers.coordinates[d] = coordinates[w->output->dims - 1 - d];
    }
    for (int i = 0; i < w->count; i++)
        take_element(w, &w->cursors[i], computed_bits_at(w, i, coordinates));
    w->place = coordinates;
    const uint32_t folds = w->branches ? branches_choose(w->branches, &w->operands.reals) : 0;
    if (w->folding && w->operands.whole)
        folding_integers(w->folding, coordinates, &w->operands.integers);
    else if (w->folding && w->branches)
        folding_some(w->folding, coordinates, folds, w->extent == FOLDING_VALUE, NULL, &w->operands.reals);
    else if (w->folding)
        folding_reals(w->folding, coordinates, w->extent, NULL, &w->operands.reals);
}

/* ---- slips */

void computed_slip(struct walk *w, const struct folding_slip *slip)
{
    bool in_float = slip && slip->kind == SLIP_IN_FLOAT && !w->result->bits;
    w->modulo = slip && slip->kind == SLIP_BLOCKS;
    if (w->folding)
        folding_set_slip(w->folding, slip);
    if (in_float && w->operands.whole) {
        w->in_float = true;
        w->operands.whole = false;
    }
}

/* Returns the number of results among which the choice lets the liberty take one. */
static int results_of(const struct walk *w, const struct spec_choice *choice)
{
    bool takes = choice->soft == (w->liberty->choices == CHOICES_SOFT) && accept_is_about(choice, &w->operands);
    int count = choice->anything ? 1 : choice->count;
    return takes ? count : 0;
}

/* Computes the element as an alternative of the behaviours that the liberty takes. Where a behaviour says "anything",
 * all bits are ones: a NaN, or -1. Returns false if no behaviour applies. */
static bool compute_choice(const struct walk *w, uint64_t *bits)
{
    int all = 0;
    for (int i = 0; i < w->result->choice_count; i++)
        all += results_of(w, &w->result->choices[i]);
    int turn = all > 0 ? w->liberty->turn % all : 0;
    const struct spec_choice *choice = w->result->choices;
    for (; all > 0 && turn >= results_of(w, choice); choice++)
        turn -= results_of(w, choice);
    if (all > 0 && choice->anything)
        *bits = accept_wrapped(w->operands.type, -1);
    else if (all > 0)
        accept_rounded(&choice->alternatives[turn].value, &w->operands, bits);
    return all > 0;
}

void computed_slipped_element(const struct walk *w, uint64_t *bits)
{
    if (w->liberty && w->liberty->choices && compute_choice(w, bits))
        return;
    if (!w->in_float || datatype_of(w->operands.type)->is_float) {
        accept_expected(w->result, &w->operands, bits);
        return;
    }
    double value = (double)(float)formula_real(&w->result->value, &w->operands.reals);
    *bits = fabs(value) < 0x1p100 ? accept_wrapped(w->operands.type, (formula_integer)value) : 0;
}

/* ---- walks over outputs */

/* Starts to compute an output with the stages, if there are any. */
static void start_staged(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                         const uint8_t *const tensors[], const struct stages *stages, bool only_values)
{
    computed_start_with(w, spec, stages ? &stages->desc : desc, computed_result_of(spec, desc, output), output,
                        stages ? stages->tensors : tensors, only_values);
}

void computed_start(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                    const uint8_t *const tensors[])
{
    struct stages *stages = computed_stages_open(spec, desc, tensors, UINT32_MAX, NULL);
    start_staged(w, spec, desc, output, tensors, stages, false);
    w->stages = stages;
}

void computed_start_values(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                           const uint8_t *const tensors[], const struct folding_slip *slip)
{
    struct stages *stages = computed_stages_open(spec, desc, tensors, computed_stages_needed(spec, desc), slip);
    start_staged(w, spec, desc, output, tensors, stages, true);
    w->stages = stages;
    computed_slip(w, slip);
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
    computed_go_to(&r->walk, number, coordinates);
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

static void run_otherwise(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                          const struct folding_slip *slip, const struct computed_liberty *liberty)
{
    struct running r;
    const uint32_t needed = liberty && liberty->choices ? UINT32_MAX : computed_stages_needed(spec, desc);
    struct stages *stages = computed_stages_open(spec, desc, (const uint8_t *const *)tensors, needed, slip);
    for (int pass = 0; pass < 2; pass++) /* outputs that depend on others come last */
        for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
            if (!desc->items[i].tensor.present || !field_is_output(spec_tensor_field(spec, i)))
                continue;
            start_staged(&r.walk, spec, desc, i, (const uint8_t *const *)tensors, stages,
                         !liberty || !liberty->choices);
            computed_slip(&r.walk, slip);
            r.walk.liberty = liberty;
            r.output = tensors[i];
            r.width = datatype_of(desc->items[i].tensor.data_type)->bits;
            r.walk.operands.reals.rounds = liberty && r.width <= 32 ? liberty->rounds : 0;
            bool keeps =
                !r.walk.numbered && r.walk.count <= KNOWN_OPERANDS && opdesc_elements(r.walk.output) >= 4 * KNOWN_COUNT;
            if (keeps)
                memset(r.known, 0, sizeof r.known);
            struct walk_blocks *blocks =
                r.walk.operands.reals.rounds || r.walk.depends ? NULL : walk_blocks_open(&r.walk, false);
            if (blocks && pass == 0)
                walk_blocks_run(blocks, r.output);
            else if (!blocks && r.walk.depends == (pass == 1))
                elements_each(r.walk.output, keeps ? run_known : run_element, &r);
            walk_blocks_close(blocks);
            computed_end(&r.walk);
        }
    computed_stages_close(stages);
}

void computed_run_slipped(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                          const struct folding_slip *slip)
{
    run_otherwise(spec, desc, tensors, slip, NULL);
}

bool computed_run_freely(const struct spec *spec, const struct opdesc *desc, uint8_t *const tensors[],
                         const struct computed_liberty *liberty)
{
    struct folding_order order = {.sum = liberty->sum};
    const struct folding_slip slip = {.kind = SLIP_ORDER, .order = &order};
    run_otherwise(spec, desc, tensors, liberty->sum ? &slip : NULL, liberty);
    free(order.terms);
    return !order.lacks_memory;
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

void computed_leave_choices(struct walk *w)
{
    if (w->operands.refold) {
        w->extent = FOLDING_NEAR;
        w->operands.complete = complete;
    }
}
