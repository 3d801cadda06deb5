#include "harness/trial/interpretation.h"

#include "harness/spec/elements.h"
#include "harness/trial/compare.h"
#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/case/index_targets.h"
#include "harness/case/indices.h"

#include <stdlib.h>
#include <string.h>

/* The interpretations in the making. `rewritten` is a copy of the inputs. */
struct computation {
    struct interpretations *out;
    const struct testcase *c;
    const uint8_t *const *tensors;
    uint8_t *rewritten[OPDESC_MAX_TENSORS];
    struct index_place *outside; /* the indices out of range */
    size_t outside_count, outside_capacity;
    bool lacks_memory; /* memory for `outside` has run out */
    interpretation_run run;
    void *context;
};

/* A tensor in which a denormal is looked for. */
struct denormal_search {
    unsigned type;
    const uint8_t *memory;
    bool found;
};

/* The outcomes that the rule of a case accepts or reports, as a bit set. */
static uint64_t outcomes_of(const struct testcase *c)
{
    const struct rule *rule = c->rule >= 0 ? &c->spec->rules[c->rule] : NULL;
    return rule && rule->behaviour ? rule->accepts | rule->reports : 0;
}

/* Returns true if the rule names the outcome. */
static bool names(const struct computation *m, enum outcome outcome)
{
    return outcomes_of(m->c) >> outcome & 1;
}

bool interpretation_applies(const struct testcase *c)
{
    return c->expect == EXPECT_RESULTS && outcomes_of(c) != 0;
}

static bool look_for_denormal(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct denormal_search *search = context;
    (void)number, (void)coordinates;
    uint64_t bits = element_get(datatype_of(search->type)->bits, search->memory, offset);
    search->found = datatype_is_denormal(search->type, bits);
    return !search->found;
}

static bool holds_denormals(const struct testcase *c, const uint8_t *const tensors[])
{
    struct denormal_search search = {.found = false};
    for (int i = -1; !search.found && (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct opdesc_tensor *t = &c->desc->items[i].tensor;
        search.type = t->data_type;
        search.memory = tensors[i];
        if (tensors[i] && datatype_of(t->data_type)->is_float)
            elements_each(t, look_for_denormal, &search);
    }
    return search.found;
}

int interpretation_rule(const struct testcase *c, const uint8_t *const tensors[])
{
    const uint64_t flushed = 1ull << OUTCOME_FLUSHED;
    int rule = c->rule;
    for (int i = 0; rule < 0 && c->expect == EXPECT_RESULTS && i < c->spec->rule_count; i++) {
        const struct rule *one = &c->spec->rules[i];
        if (one->behaviour && one->anywhere && one->accepts & flushed && holds_denormals(c, tensors))
            rule = i;
    }
    return rule;
}

/* ---- rewriting data */

/* Returns the new bits of an element. */
typedef uint64_t (*rewrite)(unsigned type, uint64_t bits);

static uint64_t interpretation_flush(unsigned type, uint64_t bits)
{
    /* Only FLOAT32 is flushed: no document and no graphics interface flushes other types when it moves data. */
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 && datatype_is_denormal(type, bits) ? bits & 0x80000000 : bits;
}

/* A device that compares elements with zero may flush FLOAT16, too. */
static uint64_t interpretation_flush_half(unsigned type, uint64_t bits)
{
    bool flushes = type == DML_TENSOR_DATA_TYPE_FLOAT16 && datatype_is_denormal(type, bits);
    return flushes ? bits & 0x8000 : interpretation_flush(type, bits);
}

static unsigned interpretation_fraction_bits(unsigned type)
{
    if (type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return 10;
    return type == DML_TENSOR_DATA_TYPE_FLOAT32 ? 23 : 52;
}

static uint64_t interpretation_quiet(unsigned type, uint64_t bits)
{
    return datatype_is_nan(type, bits) ? bits | (uint64_t)1 << (interpretation_fraction_bits(type) - 1) : bits;
}

static uint64_t interpretation_canonical(unsigned type, uint64_t bits)
{
    unsigned fraction = interpretation_fraction_bits(type);
    uint64_t exponent = ((uint64_t)1 << (datatype_of(type)->bits - 1 - fraction)) - 1;
    return datatype_is_nan(type, bits) ? exponent << fraction | (uint64_t)1 << (fraction - 1) : bits;
}

struct data_rewriter {
    rewrite rewrite;
    unsigned type;
    uint8_t *memory;
};

static bool interpretation_rewrite_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct data_rewriter *rewriter = context;
    unsigned width = datatype_of(rewriter->type)->bits;
    uint64_t bits = element_get(width, rewriter->memory, offset);
    (void)number, (void)coordinates;
    element_put(width, rewriter->memory, offset, rewriter->rewrite(rewriter->type, bits));
    return true;
}

static void rewrite_data(const struct computation *m, rewrite how)
{
    for (int i = -1; (i = testcase_next_tensor(m->c, i)) >= 0;)
        if (m->rewritten[i] && !fill_is_index(m->c->spec, i)) {
            const struct opdesc_tensor *t = &m->c->desc->items[i].tensor;
            struct data_rewriter rewriter = {.rewrite = how, .type = t->data_type, .memory = m->rewritten[i]};
            elements_each(t, interpretation_rewrite_element, &rewriter);
        }
}

/* ---- rewriting indices */

static void each_index(const struct computation *m, void (*visit)(void *context, const struct index_place *place),
                       void *context)
{
    for (int i = 0; i < m->c->spec->index_count; i++)
        indices_each(m->c, spec_item(m->c->spec, m->c->spec->indices[i].field),
                     m->rewritten[spec_item(m->c->spec, m->c->spec->indices[i].field)], visit, context);
}

/* Finds the indices out of range once: most rewriting concerns them alone. */
static void collect_outside(void *context, const struct index_place *place)
{
    struct computation *m = context;
    if (place->in_range)
        return;
    m->out->out_of_range = true;
    if (m->outside_count == m->outside_capacity) {
        size_t capacity = m->outside_capacity ? 2 * m->outside_capacity : 64;
        struct index_place *larger = realloc(m->outside, capacity * sizeof *larger);
        if (!larger) {
            m->lacks_memory = true;
            return;
        }
        m->outside = larger;
        m->outside_capacity = capacity;
    }
    m->outside[m->outside_count++] = *place;
}

static bool is_negative(const struct index_place *place)
{
    return datatype_of(place->data_type)->is_signed && place->value < 0;
}

static void interpretation_clamp(const struct computation *m, const struct index_place *place)
{
    (void)m;
    indices_set(place, is_negative(place) ? 0 : place->size - 1);
}

static void wrap_around(const struct computation *m, const struct index_place *place)
{
    (void)m;
    indices_set(place, is_negative(place) ? (place->value % place->size + place->size) % place->size
                                          : (int64_t)((uint64_t)place->value % (uint64_t)place->size));
}

/* Sets the index to `value`, clamped if `value` is out of range, too. */
static void set_clamped(const struct index_place *place, int64_t value, bool may_be_negative)
{
    if (value < 0 && value >= -place->size && may_be_negative)
        value += place->size;
    int64_t least = value < 0 ? 0 : value;
    indices_set(place, least < place->size ? least : place->size - 1);
}

/* Truncates an index. If the rule has indices out of range ignored, and does not let them be clamped, an index that
 * still is out of range stays so. */
static void truncate_index(const struct computation *m, const struct index_place *place)
{
    bool is_signed = datatype_of(place->data_type)->is_signed;
    bool clamps = !names(m, OUTCOME_IGNORED) || names(m, OUTCOME_CLAMPED);
    bool wide = datatype_of(place->data_type)->bits == 64;
    int64_t value = is_signed ? (int32_t)place->value : (int64_t)(uint32_t)place->value;
    if (!wide && !clamps)
        return;
    if (wide && !clamps)
        indices_set(place, value);
    else if (wide)
        set_clamped(place, value, is_signed);
    else
        interpretation_clamp(m, place);
}

static void take_as_signed(const struct computation *m, const struct index_place *place)
{
    bool wide = datatype_of(place->data_type)->bits == 64;
    if (!datatype_of(place->data_type)->is_signed)
        set_clamped(place, wide ? place->value : (int32_t)place->value, true);
    else
        interpretation_clamp(m, place);
}

static void to_first(const struct computation *m, const struct index_place *place)
{
    (void)m;
    indices_set(place, 0);
}

static void to_last(const struct computation *m, const struct index_place *place)
{
    (void)m;
    indices_set(place, place->size - 1);
}

/* ---- keeping one of several updates of a target */

/* The update of each target that wins. */
struct winner {
    struct index_targets targets;
    uint32_t rank; /* the rank of the update; in a target with fewer updates, the last one wins */
};

/* Makes all updates but the winner point out of range, so that the reference device ignores them. */
static void keep_winner(void *context, const struct index_place *place)
{
    const struct winner *winner = context;
    const struct index_target *target = &winner->targets.list[place->tuple];
    uint32_t rank = winner->rank < target->total ? winner->rank : target->total - 1;
    if (target->rank != rank)
        indices_set_invalid(place);
}

/* ---- computing the interpretations */

static void restore_inputs(const struct computation *m)
{
    for (int i = -1; (i = testcase_next_tensor(m->c, i)) >= 0;)
        if (m->rewritten[i])
            memcpy(m->rewritten[i], m->tensors[i], m->c->desc->items[i].tensor.total);
}

/* Adds an interpretation whose outputs are zeros. Returns false if memory runs out. */
static bool add_empty(struct computation *m, enum outcome outcome)
{
    if (m->out->count == INTERPRETATIONS_MAX)
        return false;
    struct interpretation *interpretation = &m->out->list[m->out->count++];
    interpretation->outcome = outcome;
    memset(interpretation->outputs, 0, (size_t)m->out->fields * sizeof *interpretation->outputs);
    for (int i = -1; (i = testcase_next_tensor(m->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(m->c->spec, i)) &&
            !(interpretation->outputs[i] = calloc(1, m->c->desc->items[i].tensor.total)))
            return false;
    return true;
}

/* Adds the reference device's result for the inputs as they are. */
static bool add_expected(struct computation *m, enum outcome outcome)
{
    if (!add_empty(m, outcome))
        return false;
    uint8_t **outputs = m->out->list[m->out->count - 1].outputs;
    for (int i = -1; (i = testcase_next_tensor(m->c, i)) >= 0;)
        if (outputs[i])
            memcpy(outputs[i], m->tensors[i], m->c->desc->items[i].tensor.total);
    return true;
}

/* Adds the outputs of the rewritten inputs, and restores the inputs. */
static bool add_interpretation(struct computation *m, enum outcome outcome)
{
    bool good = add_empty(m, outcome) && m->run(m->context, m->rewritten, m->out->list[m->out->count - 1].outputs);
    restore_inputs(m);
    return good;
}

/* The next two functions add an interpretation that rewrites data or indices, if the rule names its outcome.
 * OUTCOME_OTHER is always added. */
static bool add_with_data(struct computation *m, enum outcome outcome, rewrite how)
{
    if (!names(m, outcome))
        return true;
    rewrite_data(m, how);
    return add_interpretation(m, outcome);
}

static bool add_with_indices(struct computation *m, enum outcome outcome,
                             void (*set)(const struct computation *, const struct index_place *))
{
    if (outcome != OUTCOME_OTHER && !names(m, outcome))
        return true;
    for (size_t i = 0; i < m->outside_count; i++)
        set(m, &m->outside[i]);
    return add_interpretation(m, outcome);
}

struct zeroing {
    const uint8_t *first, *last;
    uint8_t *out;
    unsigned width; /* the width of an element, in bits */
};

static bool zero_open(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct zeroing *c = context;
    (void)number, (void)coordinates;
    if (element_get(c->width, c->first, offset) != element_get(c->width, c->last, offset))
        element_put(c->width, c->out, offset, 0);
    return true;
}

/* Adds OUTCOME_ZERO: zeros in the elements in which `first` and `last` differ. */
static bool add_zero(struct computation *m, const struct interpretation *first, const struct interpretation *last)
{
    if (!names(m, OUTCOME_ZERO))
        return true;
    if (!add_expected(m, OUTCOME_ZERO))
        return false;
    const struct interpretation *zero = &m->out->list[m->out->count - 1];
    for (int i = -1; (i = testcase_next_tensor(m->c, i)) >= 0;)
        if (zero->outputs[i]) {
            const struct opdesc_tensor *t = &m->c->desc->items[i].tensor;
            struct zeroing zeroing = {first->outputs[i], last->outputs[i], zero->outputs[i],
                                      datatype_of(t->data_type)->bits};
            elements_each(t, zero_open, &zeroing);
        }
    return true;
}

static void interpretation_start(struct interpretations *out, const struct testcase *c)
{
    out->count = out->outcome_count = 0;
    out->fields = c->desc->tensor_count;
    out->out_of_range = false;
}

/* An index out of range decides an element if pointing to the first position and pointing to the last give different
 * values. Both probes go to the end of the list. */
static bool add_out_of_range(struct computation *m)
{
    struct interpretations probes, *out = m->out;
    interpretation_start(&probes, m->c);
    each_index(m, collect_outside, m);
    m->out = &probes;
    bool good =
        !m->lacks_memory && add_with_indices(m, OUTCOME_OTHER, to_first) && add_with_indices(m, OUTCOME_OTHER, to_last);
    m->out = out;
    good = good && (!names(m, OUTCOME_IGNORED) || add_with_indices(m, OUTCOME_CLAMPED, interpretation_clamp)) &&
           add_with_indices(m, OUTCOME_WRAPPED, wrap_around) &&
           add_with_indices(m, OUTCOME_TRUNCATED, truncate_index) &&
           add_with_indices(m, OUTCOME_SIGNED, take_as_signed) && add_zero(m, &probes.list[0], &probes.list[1]);
    out->outcome_count = out->count;
    for (int i = 0; i < probes.count; i++) {
        if (out->count < INTERPRETATIONS_MAX)
            out->list[out->count++] = probes.list[i];
    }
    return good;
}

/* Adds one interpretation for each update of a target that may win. Only the first and the last are outcomes; the
 * others show which elements are open. */
static bool add_duplicates(struct computation *m)
{
    struct winner winner = {.rank = 0};
    each_index(m, index_targets_collect, &winner.targets);
    index_targets_rank(&winner.targets);
    bool good = winner.targets.count > 0 && winner.targets.max <= INDICES_REPEATS;
    /* The first interpretation in the list is the one in which the last update wins. */
    for (uint32_t i = 0; good && i + 1 < winner.targets.max; i++) {
        winner.rank = i;
        each_index(m, keep_winner, &winner);
        good = add_interpretation(m, i == 0 ? OUTCOME_FIRST : OUTCOME_OTHER);
        if (i == 0)
            m->out->outcome_count = m->out->count;
    }
    index_targets_free(&winner.targets);
    return good;
}

/* Returns the outcome that the reference device's own result shows. */
static enum outcome outcome_of_reference(const struct computation *m)
{
    if (m->c->index_fill == INDEX_DUPLICATES)
        return OUTCOME_LAST;
    if (!indices_out_of_range(m->c->index_fill))
        return OUTCOME_KEPT;
    return names(m, OUTCOME_IGNORED) ? OUTCOME_IGNORED : OUTCOME_CLAMPED;
}

bool interpretations_compute(struct interpretations *interpretations, const struct testcase *c,
                             const uint8_t *const tensors[], interpretation_run run, void *context)
{
    struct computation m = {.out = interpretations, .c = c, .tensors = tensors, .run = run, .context = context};
    bool good = true, range = indices_out_of_range(c->index_fill), repeats = c->index_fill == INDEX_DUPLICATES;
    interpretation_start(interpretations, c);
    for (int i = -1; good && (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(c->spec, i)))
            good = (m.rewritten[i] = malloc(c->desc->items[i].tensor.total)) != NULL;
    if (good)
        restore_inputs(&m);
    good = good && add_expected(&m, outcome_of_reference(&m)) &&
           add_with_data(&m, OUTCOME_FLUSHED, interpretation_flush) &&
           add_with_data(&m, OUTCOME_FLUSHED_HALF, interpretation_flush_half) &&
           add_with_data(&m, OUTCOME_QUIETED, interpretation_quiet) &&
           add_with_data(&m, OUTCOME_CANONICAL, interpretation_canonical);
    interpretations->outcome_count = interpretations->count;
    good = good && (!range || add_out_of_range(&m)) && (!repeats || add_duplicates(&m));
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        free(m.rewritten[i]);
    free(m.outside);
    return good;
}

uint64_t interpretation_defined_count(const struct testcase *c, int field, const uint8_t *const outputs[])
{
    const struct opdesc_tensor *tensor = &c->desc->items[field].tensor;
    uint64_t count = (uint64_t)opdesc_elements(tensor), rows = count;
    if (spec_is(c->spec, field, c->spec->rows.field)) {
        int of = spec_item(c->spec, c->spec->rows.count_field);
        rows = datatype_bits(c->desc->items[of].tensor.data_type, outputs[of]) * tensor->sizes[tensor->dims - 1];
    }
    return rows < count ? rows : count;
}

static bool matches(const struct interpretation *interpretation, const struct testcase *c,
                    const uint8_t *const outputs[])
{
    const uint8_t *const *own = (const uint8_t *const *)interpretation->outputs;
    struct comparison comparison;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        if (!own[i])
            continue;
        compare_output(&c->desc->items[i].tensor, NULL, own[i], outputs[i], interpretation_defined_count(c, i, own),
                       &comparison);
        if (comparison.agreement != AGREES)
            return false;
    }
    return true;
}

enum outcome interpretations_find(const struct interpretations *interpretations, const struct testcase *c,
                                  const uint8_t *const outputs[])
{
    for (int r = 0; r < interpretations->outcome_count; r++)
        if (matches(&interpretations->list[r], c, outputs))
            return interpretations->list[r].outcome;
    return OUTCOME_OTHER;
}

void interpretations_free(struct interpretations *interpretations)
{
    for (int r = 0; r < interpretations->count; r++)
        for (int i = 0; i < interpretations->fields; i++)
            free(interpretations->list[r].outputs[i]);
    interpretations->count = interpretations->outcome_count = 0;
}
