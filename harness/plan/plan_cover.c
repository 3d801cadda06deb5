/* Covering arrays: every combination of values of any two (or three) factors occurs in a row.
 *
 * The factors are the operator's feature level, data types, parameters, and the strides of each tensor. Parameters
 * depend on each other, so rows cannot be written down: the solver gets the combination, fills in the rest, and the
 * description that comes out shows what the row covers. */
#include "harness/plan/plan_cover.h"

#include "harness/base/random.h"
#include "harness/plan/factor.h"
#include "harness/case/testcase.h"

#include <stdlib.h>
#include <string.h>

enum {
    COVER_CANDIDATES = 4,
    COVER_PLAIN_TRIES = 500, /* tries of the solver to make a row */
    COVER_PAIR_TRIES = 2000, /* the same if rows cover pairs: each pair must be covered */
    COVER_TRIES = 10 /* tries to make a candidate: its random level and strides may contradict the combination */
};

struct cover {
    const struct spec *spec;
    unsigned op;
    struct factor factors[FACTORS_MAX];
    int factor_count, strength;
    bool exclusive; /* no legal description has all tensors */
    uint8_t *seen;  /* per combination of factors and values: 1 once it is covered or given up */
};

/* Returns the index of the factor's value that a row has; -1: the value is not listed. */
static int row_value(const struct cover *c, const struct factor *f, const struct solve_request *request,
                     const struct opdesc *desc)
{
    int64_t value =
        f->kind == FACTOR_STRIDES ? request->strides[f->which] : factor_read(c->spec, f, desc, request->table);
    for (int i = 0; i < f->count; i++)
        if (f->values[i] == value)
            return i;
    return -1;
}

/* Returns the index in `seen` of a combination, one factor and value at a time; every factor has room for
 * FACTOR_VALUES. */
static size_t next_slot(const struct cover *c, size_t before, int factor, int value)
{
    return (before * (size_t)c->factor_count + (size_t)factor) * FACTOR_VALUES + (size_t)value;
}

static size_t plan_cover_slot(const struct cover *c, const int *factors, const int *values)
{
    size_t at = 0;
    for (int i = 0; i < c->strength; i++)
        at = next_slot(c, at, factors[i], values[i]);
    return at;
}

/* Counts the unseen combinations in a row that add `left` values, from factor `first` on, to the values at `before`.
 * Marks them as seen if `mark`. */
static int count_new(const struct cover *c, const int *row, bool mark, int first, size_t before, int left)
{
    int fresh = 0;
    for (int i = first; i <= c->factor_count - left; i++) {
        if (row[i] < 0)
            continue;
        size_t at = next_slot(c, before, i, row[i]);
        if (left > 1) {
            fresh += count_new(c, row, mark, i + 1, at, left - 1);
        } else {
            fresh += !c->seen[at];
            c->seen[at] |= mark;
        }
    }
    return fresh;
}

/* Returns true if no description has strides of all tensors, because some tensors exclude each other. */
static bool excludes_tensors(const struct cover *c)
{
    struct solve_request request;
    bool refuted = true;
    solve_request_init(&request);
    for (int i = 0; i < c->factor_count; i++)
        if (c->factors[i].kind == FACTOR_STRIDES)
            request.strides[c->factors[i].which] = STRIDES_PACKED;
    for (request.table = 0; request.table < c->spec->level_count && refuted; request.table++)
        refuted = solve_refute(c->spec, &request);
    return refuted;
}

/* Draws a row with a combination of `count` values. `plain`: null, or a description with the combination. Without one,
 * the row has the highest level and null strides unless the combination names others. If tensors exclude each other,
 * only those of `plain` get strides: random strides of all would contradict each other in every row. False: the solver
 * found none. */
static bool try_row(struct cover *c, const int *factors, const int *values, int count, uint64_t seed,
                    const struct opdesc *plain, struct solve_request *request, struct opdesc *desc,
                    int row[FACTORS_MAX])
{
    struct random random = {.key = seed};
    solve_request_init(request);
    request->tries = COVER_TRIES;
    if (!plain)
        request->tries = c->strength == 2 ? COVER_PAIR_TRIES : COVER_PLAIN_TRIES;
    for (int i = 0; i < c->factor_count; i++) { /* the solver draws the other factors */
        const struct factor *f = &c->factors[i];
        int drawn = f->kind == FACTOR_LEVEL ? f->count - 1 : 0;
        if (plain)
            drawn = (int)random_below(&random, (uint32_t)f->count);
        if (plain && c->exclusive && f->kind == FACTOR_STRIDES && !OPDESC_TENSOR(plain, f->which)->present)
            continue;
        if (f->kind == FACTOR_LEVEL || f->kind == FACTOR_STRIDES)
            factor_request(f, f->values[drawn], request);
    }
    for (int i = 0; i < count; i++)
        factor_request(&c->factors[factors[i]], c->factors[factors[i]].values[values[i]], request);
    if (!solve_satisfy(c->spec, c->op, request, random_next(&random), desc))
        return false;
    for (int i = 0; i < c->factor_count; i++)
        row[i] = row_value(c, &c->factors[i], request, desc);
    return true;
}

static bool add_row(const struct solve_request *request, const struct opdesc *desc, struct cover_rows *out)
{
    if (out->count == out->capacity) {
        size_t capacity = out->capacity ? out->capacity * 2 : 256;
        struct cover_row *items = realloc(out->items, capacity * sizeof *items);
        if (!items)
            return false;
        out->items = items;
        out->capacity = capacity;
    }
    struct cover_row *row = &out->items[out->count++];
    row->table = request->table;
    memcpy(row->strides, request->strides, sizeof row->strides);
    row->desc = pool_copy(&out->pool, desc, desc->size);
    return true;
}

/* Draws a few rows with the combination and adds the row that covers most; adds none if it finds none. False: out of
 * memory. */
static bool cover_one(struct cover *c, const int *factors, const int *values, struct cover_rows *out)
{
    struct solve_request best = {0}, request;
    struct opdesc best_desc, desc, plain;
    int row[FACTORS_MAX], best_row[FACTORS_MAX], max = 0;
    size_t own = plan_cover_slot(c, factors, values);
    uint64_t seed = random_at(random_hash(c->spec->lower, 0), own);
    c->seen[own] = 1; /* also if it is impossible */
    for (int i = 0; i <= COVER_CANDIDATES; i++) {
        if (!try_row(c, factors, values, c->strength, random_at(seed, (uint64_t)i), i > 0 ? &plain : NULL, &request,
                     &desc, row)) {
            if (i == 0)
                return true; /* impossible even with plain values */
            continue;
        }
        if (i == 0)
            plain = desc;
        int fresh = 1 + count_new(c, row, false, 0, 0, c->strength);
        if (fresh > max) {
            max = fresh;
            best = request;
            best_desc = desc;
            memcpy(best_row, row, sizeof row);
        }
    }
    count_new(c, best_row, true, 0, 0, c->strength);
    return add_row(&best, &best_desc, out);
}

/* Drops the values for which no description is found. False: a factor has no value left. */
static bool drop_impossible(struct cover *c)
{
    struct solve_request request;
    struct opdesc desc;
    int row[FACTORS_MAX];
    bool some = true;
    uint64_t seed = random_hash(c->spec->lower, 1);
    for (int i = 0; i < c->factor_count && some; i++) {
        struct factor *f = &c->factors[i];
        int kept = 0;
        for (int value = 0; value < f->count; value++)
            if (try_row(c, &i, &value, 1, random_at(seed, (uint64_t)value), NULL, &request, &desc, row))
                f->values[kept++] = f->values[value];
        f->count = kept;
        some = kept > 0;
    }
    return some;
}

/* Advances to the next combination of values, then of factors. False: there is none. */
static bool plan_cover_step(const struct cover *c, int *factors, int *values)
{
    int i = c->strength - 1;
    while (i >= 0 && ++values[i] == c->factors[factors[i]].count)
        values[i--] = 0;
    if (i >= 0)
        return true;
    i = c->strength - 1;
    while (i >= 0 && factors[i] == c->factor_count - c->strength + i)
        i--;
    if (i < 0)
        return false;
    factors[i]++;
    for (i++; i < c->strength; i++)
        factors[i] = factors[i - 1] + 1;
    return true;
}

bool cover_make(const struct spec *spec, unsigned op, int strength, struct cover_rows *out)
{
    struct cover c = {.spec = spec, .op = op, .strength = strength};
    int factors[3] = {0, 1, 2}, values[3] = {0};
    size_t slots = 1;
    *out = (struct cover_rows){0};
    c.factor_count = factors_list(spec, false, c.factors);
    if (c.factor_count < strength || !drop_impossible(&c))
        return true;
    c.exclusive = excludes_tensors(&c);
    for (int i = 0; i < strength; i++)
        slots *= (size_t)c.factor_count * FACTOR_VALUES;
    c.seen = calloc(slots, 1);
    bool good = c.seen != NULL;
    while (good) {
        good = c.seen[plan_cover_slot(&c, factors, values)] || cover_one(&c, factors, values, out);
        if (!plan_cover_step(&c, factors, values))
            break;
    }
    free(c.seen);
    return good;
}

void cover_free(struct cover_rows *rows)
{
    free(rows->items);
    pool_clear(&rows->pool);
    *rows = (struct cover_rows){0};
}
