#include "harness/formula/folding_division.h"

#include <string.h>

enum { D = OPDESC_MAX_DIMENSIONS };

bool division_prepare(const struct spec *spec, const struct opdesc *desc, int node, uint32_t place_dims,
                      uint32_t loop_count, const int64_t *loop_sizes, const uint32_t *loops, struct division *out)
{
    const struct expr *divided = &spec->nodes[node];
    struct expr_list what, by, past;
    if (!expr_list_of(spec->nodes, divided->a, desc, EXPR_ORIGIN, &what) ||
        !expr_list(spec->nodes, divided->b, desc, &by) || !expr_list(spec->nodes, divided->c, desc, &past) ||
        what.count > D || by.count != what.count || past.count != what.count)
        return false;
    *out = (struct division){.count = (uint32_t)what.count, .place_dims = place_dims, .loop_count = loop_count};
    memcpy(out->loop_sizes, loop_sizes, loop_count * sizeof *loop_sizes);
    for (uint32_t i = 0; i < out->count; i++) {
        out->origin[i] = what.items[i];
        out->by[i] = by.items[i];
        out->past[i] = past.items[i];
        out->level[i] = loop_count;
        if (by.items[i] < 1)
            return false;
    }
    for (uint32_t n = 0; n < place_dims + loop_count; n++) {
        bool place = n < place_dims;
        uint32_t l = n - place_dims;
        int unit = place ? expr_unit(EXPR_UNIT_PLACE, (int)n) : expr_unit(EXPR_UNIT_STEP, (int)loops[l]);
        if (!expr_list_of(spec->nodes, divided->a, desc, unit, &what) || what.count != (int)out->count)
            return false;
        for (uint32_t i = 0; i < out->count; i++) {
            int64_t grows = what.items[i] - out->origin[i];
            *(place ? &out->by_place[i][n] : &out->by_loop[i][l]) = grows;
            out->level[i] = !place && grows != 0 ? l : out->level[i];
        }
    }
    return true;
}

/* The state of the walk over the steps. */
struct walk {
    const struct division *division;
    int64_t at[D]; /* each entry's dividend */
    int64_t counters[D], quotients[D];
    division_visit *visit;
    void *context;
};

/* Divides the entries whose innermost loop is at this level. Returns false if an entry does not divide exactly, or is
 * out of range. */
static bool folding_division_divide(struct walk *w, uint32_t level)
{
    const struct division *d = w->division;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->level[i] != level)
            continue;
        if (w->at[i] < 0 || w->at[i] % d->by[i] != 0 || w->at[i] / d->by[i] >= d->past[i])
            return false;
        w->quotients[i] = w->at[i] / d->by[i];
    }
    return true;
}

/* Narrows the steps of a loop to those at which the entries of this level may be in range: a window contains few of
 * many places. */
static void folding_division_narrow(const struct walk *w, uint32_t level, int64_t *first, int64_t *past)
{
    const struct division *d = w->division;
    for (uint32_t i = 0; i < d->count; i++) {
        int64_t grows = d->by_loop[i][level], most;
        if (d->level[i] != level || __builtin_mul_overflow(d->by[i], d->past[i] - 1, &most))
            continue;
        int64_t low = grows > 0 ? -expr_floor(w->at[i], grows) : -expr_floor(most - w->at[i], -grows);
        int64_t high = grows > 0 ? expr_floor(most - w->at[i], grows) : expr_floor(w->at[i], -grows);
        *first = low > *first ? low : *first;
        *past = high + 1 < *past ? high + 1 : *past;
    }
}

static void folding_division_move(struct walk *w, uint32_t level, int64_t steps)
{
    for (uint32_t i = 0; i < w->division->count; i++)
        w->at[i] += steps * w->division->by_loop[i][level];
}

static void walk(struct walk *w, uint32_t level, int64_t number)
{
    const struct division *d = w->division;
    if (level == d->loop_count) {
        w->visit(w->context, w->counters, w->quotients, number);
        return;
    }
    int64_t first = 0, past = d->loop_sizes[level];
    folding_division_narrow(w, level, &first, &past);
    if (first >= past)
        return;
    folding_division_move(w, level, first);
    for (int64_t step = first; step < past; step++) {
        w->counters[level] = step;
        if (folding_division_divide(w, level))
            walk(w, level + 1, number * d->loop_sizes[level] + step);
        folding_division_move(w, level, 1);
    }
    folding_division_move(w, level, -past);
}

void division_each(const struct division *division, const uint32_t *place, division_visit *visit, void *context)
{
    struct walk w = {.division = division, .visit = visit, .context = context};
    for (uint32_t i = 0; i < division->count; i++) {
        w.at[i] = division->origin[i];
        for (uint32_t p = 0; p < division->place_dims; p++)
            w.at[i] += division->by_place[i][p] * (int64_t)place[p];
    }
    if (folding_division_divide(&w, division->loop_count))
        walk(&w, 0, 0);
}
