#include "harness/case/grid.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/spec/elements.h"

struct grid {
    const struct opdesc_tensor *t;
    struct expr_list from, to, parts;
    int64_t spans, count; /* entries of a row that are distances; all entries */
    uint64_t key;
    uint8_t *memory;
};

/* Returns an entry of a row. A distance is drawn like any entry, then added to the entry that it begins at. */
static double grid_entry(const struct grid *g, uint64_t row, int64_t at)
{
    int64_t span = g->to.items[at] - g->from.items[at];
    uint64_t steps = span > 0 && g->parts.items[at] > 0 ? (uint64_t)(span * g->parts.items[at]) : 0;
    uint64_t step =
        (uint64_t)((unsigned __int128)random_at(g->key, row * (uint64_t)g->count + (uint64_t)at) * (steps + 1) >> 64);
    double begin = at >= g->count - g->spans && at >= g->spans ? grid_entry(g, row, at - g->spans) : 0;
    return begin + (double)g->from.items[at] + (steps ? (double)step / (double)g->parts.items[at] : 0);
}

static bool put_entry(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct grid *g = context;
    uint64_t bits = 0;
    double value = grid_entry(g, number / (uint64_t)g->count, coordinates[g->t->dims - 1]);
    datatype_from_double(g->t->data_type, value, &bits);
    element_put(datatype_of(g->t->data_type)->bits, g->memory, offset, bits);
    return true;
}

bool grid_fill(const struct testcase *c, uint64_t key, int field, uint8_t *memory)
{
    const struct spec_grid *of = NULL;
    for (int i = 0; i < c->spec->grid_count; i++)
        if (spec_is(c->spec, field, c->spec->grids[i].field))
            of = &c->spec->grids[i];
    if (!of)
        return false;
    const struct opdesc_tensor *t = &c->desc->items[field].tensor;
    struct grid g = {.t = t, .spans = of->spans, .count = t->sizes[t->dims - 1], .key = key, .memory = memory};
    const struct expr *nodes = c->spec->nodes;
    if (!expr_list(nodes, of->from, c->desc, &g.from) || !expr_list(nodes, of->to, c->desc, &g.to) ||
        !expr_list(nodes, of->parts, c->desc, &g.parts) || g.from.count != g.count || g.to.count != g.count ||
        g.parts.count != g.count)
        return false;
    elements_each(t, put_entry, &g);
    return true;
}
