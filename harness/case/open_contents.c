#include "harness/case/open_contents.h"

#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/case/index_targets.h"
#include "harness/spec/outcome.h"

#include <stdlib.h>

struct search {
    struct index_targets targets;
    bool outside;
};

static void find_open(void *context, const struct index_place *place)
{
    struct search *search = context;
    search->outside |= !place->in_range;
    if (place->in_range)
        index_targets_collect(&search->targets, place);
}

/* Returns the index of the behaviour that accepts the outcome, at the case's feature level; -1: none. */
static int behaviour_of(const struct testcase *c, enum outcome outcome)
{
    DML_FEATURE_LEVEL level = c->spec->levels[c->table].level;
    for (int i = 0; i < c->spec->rule_count; i++) {
        const struct rule *rule = &c->spec->rules[i];
        if (rule->behaviour && rule->accepts >> outcome & 1 && level >= rule->from &&
            (rule->before == 0 || level < rule->before))
            return i;
    }
    return -1;
}

/* Sets `index_fill` if given indices are out of range or repeated. */
static void look_at_indices(struct testcase *c)
{
    bool outside = false, repeated = false;
    for (int i = 0; i < c->spec->index_count; i++) {
        struct search search = {.outside = false};
        int field = spec_item(c->spec, c->spec->indices[i].field);
        uint8_t *memory = c->literals && c->literals[field].data ? calloc(1, c->desc->items[field].tensor.total) : NULL;
        if (!memory)
            continue;
        fill_literal(c, field, memory);
        indices_each(c, field, memory, find_open, &search);
        if (!search.outside && c->spec->indices[i].distinct && search.targets.count > 0)
            index_targets_rank(&search.targets);
        outside |= search.outside;
        repeated |= search.targets.max > 1;
        index_targets_free(&search.targets);
        free(memory);
    }
    if (outside && !indices_out_of_range(c->index_fill))
        c->index_fill = INDEX_FAR;
    else if (!outside && repeated)
        c->index_fill = INDEX_DUPLICATES;
}

/* Returns true if a data input has a denormal that some device may flush: a given FLOAT32, or the fill makes them. */
static bool has_denormals(const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct literal *literal = c->literals ? &c->literals[i] : NULL;
        unsigned type = c->desc->items[i].tensor.data_type;
        if (!field_is_input(spec_tensor_field(c->spec, i)) || fill_is_index(c->spec, i) ||
            type != DML_TENSOR_DATA_TYPE_FLOAT32)
            continue;
        if ((!literal || !literal->data) &&
            (c->fill == FILL_DENORMAL || c->fill == FILL_PATTERNS || c->fill == FILL_EACH))
            return true;
        for (uint32_t n = 0; literal && n < literal->count; n++)
            if (datatype_is_denormal(type, element_get(datatype_of(type)->bits, literal->data, n)))
                return true;
    }
    return false;
}

const struct rule *open_contents_find(struct testcase *c)
{
    if (c->expect != EXPECT_RESULTS)
        return NULL;
    look_at_indices(c);
    int open = -1;
    if (indices_out_of_range(c->index_fill))
        open = behaviour_of(c, OUTCOME_CLAMPED);
    else if (c->index_fill == INDEX_DUPLICATES)
        open = behaviour_of(c, OUTCOME_LAST);
    if (open < 0 && has_denormals(c))
        open = behaviour_of(c, OUTCOME_FLUSHED);
    if (open < 0 || c->rule == open)
        return NULL;
    if (c->rule < 0)
        c->rule = open;
    return c->rule == open ? NULL : &c->spec->rules[open];
}
