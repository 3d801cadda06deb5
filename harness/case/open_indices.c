#include "harness/case/open_indices.h"

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

/* Index of the behaviour that accepts the outcome, at the case's feature level; -1: none. */
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

void open_indices_find(struct testcase *c)
{
    for (int i = 0; i < c->spec->index_count && c->rule < 0 && c->expect == EXPECT_RESULTS; i++) {
        struct search search = {.outside = false};
        int field = c->spec->indices[i].field;
        uint8_t *memory =
            c->literals && c->literals[field].data ? calloc(1, c->desc->fields[field].tensor.total) : NULL;
        if (!memory)
            continue;
        fill_literal(c, field, memory);
        indices_each(c, field, memory, find_open, &search);
        if (!search.outside && c->spec->indices[i].distinct && search.targets.count > 0)
            index_targets_rank(&search.targets);
        if (search.outside)
            c->rule = behaviour_of(c, OUTCOME_CLAMPED);
        else if (search.targets.max > 1)
            c->rule = behaviour_of(c, OUTCOME_LAST);
        if (c->rule >= 0)
            c->index_fill = search.outside ? INDEX_FAR : INDEX_DUPLICATES;
        index_targets_free(&search.targets);
        free(memory);
    }
}
