/* Covering arrays: every combination of values of any two (or three) factors occurs in a row.
 *
 * The factors are the operator's feature level, data types, parameters, and the strides of each tensor. Parameters
 * depend on each other, so rows cannot be written down: the solver gets the combination, fills in the rest, and the
 * description that comes out shows what the row covers. */
#include "harness/case/plan_cover.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/case/testcase.h"

#include <stdlib.h>
#include <string.h>

enum {
    COVER_MAX_FACTORS = 1 + SPEC_MAX_GROUPS + SPEC_MAX_PARAMETERS + OPDESC_MAX_FIELDS,
    COVER_VALUES = 16, /* per factor: levels, data types, parameters up to 8, stride classes */
    COVER_CANDIDATES = 4,
    COVER_PLAIN_TRIES = 500, /* of the solver for a plain row */
    COVER_TRIES = 10 /* of the solver for a candidate, whose random level and strides may contradict the combination */
};

struct factor {
    enum factor_kind { FACTOR_LEVEL, FACTOR_TYPE, FACTOR_PARAMETER, FACTOR_STRIDES } kind;
    int which; /* group, parameter or field */
    int count;
    int values[COVER_VALUES];
};

struct cover {
    const struct spec *spec;
    unsigned op;
    struct factor factors[COVER_MAX_FACTORS];
    int factor_count, strength;
    uint8_t *seen; /* per combination of factors and values: 1 once it is covered or given up */
};

static struct factor *add_factor(struct cover *c, enum factor_kind kind, int which)
{
    struct factor *f = &c->factors[c->factor_count++];
    f->kind = kind;
    f->which = which;
    f->count = 0;
    return f;
}

static void list_factors(struct cover *c)
{
    const struct spec *spec = c->spec;
    struct factor *f = add_factor(c, FACTOR_LEVEL, 0);
    for (int i = 0; i < spec->level_count; i++)
        f->values[f->count++] = i;
    for (int g = 0; g < spec->group_count; g++) {
        uint32_t all = 0;
        for (int i = 0; i < spec->level_count; i++)
            all |= spec->levels[i].types[g];
        f = add_factor(c, FACTOR_TYPE, g);
        for (int type = 0; type < DATATYPE_COUNT; type++)
            if (all >> type & 1)
                f->values[f->count++] = type;
    }
    for (int i = 0; i < spec->parameter_count; i++) {
        f = add_factor(c, FACTOR_PARAMETER, i);
        for (int value = 0; value <= DML_TENSOR_DIMENSION_COUNT_MAX1; value++)
            f->values[f->count++] = value;
    }
    for (int i = 0; i < spec->field_count; i++) {
        if (!field_is_tensor(&spec->fields[i]))
            continue;
        f = add_factor(c, FACTOR_STRIDES, i);
        for (int class = 0; class < STRIDES_COUNT; class ++)
            if (class != STRIDES_BROADCAST || spec->fields[i].kind == FIELD_INPUT)
                f->values[f->count++] = class;
    }
}

static void request_value(struct solve_request *request, const struct factor *f, int value)
{
    switch (f->kind) {
    case FACTOR_LEVEL:
        request->table = f->values[value];
        break;
    case FACTOR_TYPE:
        request->types[f->which] = f->values[value];
        break;
    case FACTOR_PARAMETER:
        request->parameters[f->which] = f->values[value];
        break;
    case FACTOR_STRIDES:
        request->strides[f->which] = (uint8_t)f->values[value];
        break;
    }
}

/* Index of the factor's value that a row has; -1: a value that is not listed. */
static int row_value(const struct cover *c, const struct factor *f, const struct solve_request *request,
                     const struct opdesc *desc)
{
    int64_t value = -1;
    switch (f->kind) {
    case FACTOR_LEVEL:
        value = request->table;
        break;
    case FACTOR_TYPE:
        for (int i = 0; i < c->spec->field_count && value < 0; i++)
            if (field_is_tensor(&c->spec->fields[i]) && c->spec->fields[i].group == f->which)
                value = desc->fields[i].tensor.data_type;
        break;
    case FACTOR_PARAMETER:
        expr_number(c->spec->nodes, c->spec->parameters[f->which].node, desc, &value);
        break;
    case FACTOR_STRIDES:
        value = request->strides[f->which];
        break;
    }
    for (int i = 0; i < f->count; i++)
        if (f->values[i] == value)
            return i;
    return -1;
}

/* Index in `seen` of a combination, one factor and value at a time; every factor has room for COVER_VALUES. */
static size_t next_slot(const struct cover *c, size_t before, int factor, int value)
{
    return (before * (size_t)c->factor_count + (size_t)factor) * COVER_VALUES + (size_t)value;
}

static size_t slot(const struct cover *c, const int *factors, const int *values)
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

/* Draws a row with a combination of `count` values. `plain`: with the highest level and null strides unless the
 * combination names others. False: the solver found none. */
static bool try_row(struct cover *c, const int *factors, const int *values, int count, uint64_t seed, bool plain,
                    struct solve_request *request, struct opdesc *desc, int row[COVER_MAX_FACTORS])
{
    struct random random = {.key = seed};
    solve_request_init(request);
    request->tries = plain ? COVER_PLAIN_TRIES : COVER_TRIES;
    for (int i = 0; i < c->factor_count; i++) { /* the solver draws the other factors */
        const struct factor *f = &c->factors[i];
        int drawn =
            plain ? (f->kind == FACTOR_LEVEL ? f->count - 1 : 0) : (int)random_below(&random, (uint32_t)f->count);
        if (f->kind == FACTOR_LEVEL || f->kind == FACTOR_STRIDES)
            request_value(request, f, drawn);
    }
    for (int i = 0; i < count; i++)
        request_value(request, &c->factors[factors[i]], values[i]);
    if (!solve_satisfy(c->spec, c->op, request, random_next(&random), desc))
        return false;
    for (int i = 0; i < c->factor_count; i++)
        row[i] = row_value(c, &c->factors[i], request, desc);
    return true;
}

static bool add_row(const struct cover *c, const struct solve_request *request, const struct opdesc *desc,
                    struct cover_rows *out)
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
    row->desc = pool_copy(&out->pool, desc, testcase_desc_size(c->spec));
    return true;
}

/* Of a few rows with the combination, adds the one that covers most; adds none if none is found. False: out of
 * memory. */
static bool cover_one(struct cover *c, const int *factors, const int *values, struct cover_rows *out)
{
    struct solve_request best = {0}, request;
    struct opdesc best_desc, desc;
    int row[COVER_MAX_FACTORS], best_row[COVER_MAX_FACTORS], max = 0;
    size_t own = slot(c, factors, values);
    uint64_t seed = random_at(random_hash(c->spec->lower, 0), own);
    c->seen[own] = 1; /* also if it is impossible */
    for (int i = 0; i <= COVER_CANDIDATES; i++) {
        if (!try_row(c, factors, values, c->strength, random_at(seed, (uint64_t)i), i == 0, &request, &desc, row)) {
            if (i == 0)
                return true; /* impossible even with plain values */
            continue;
        }
        int fresh = 1 + count_new(c, row, false, 0, 0, c->strength);
        if (fresh > max) {
            max = fresh;
            best = request;
            best_desc = desc;
            memcpy(best_row, row, sizeof row);
        }
    }
    count_new(c, best_row, true, 0, 0, c->strength);
    return add_row(c, &best, &best_desc, out);
}

/* Drops the values for which no description is found. False: a factor has no value left. */
static bool drop_impossible(struct cover *c)
{
    struct solve_request request;
    struct opdesc desc;
    int row[COVER_MAX_FACTORS];
    bool some = true;
    uint64_t seed = random_hash(c->spec->lower, 1);
    for (int i = 0; i < c->factor_count && some; i++) {
        struct factor *f = &c->factors[i];
        int kept = 0;
        for (int value = 0; value < f->count; value++)
            if (try_row(c, &i, &value, 1, random_at(seed, (uint64_t)value), true, &request, &desc, row))
                f->values[kept++] = f->values[value];
        f->count = kept;
        some = kept > 0;
    }
    return some;
}

/* Advances to the next combination of values, then of factors. False: there is none. */
static bool step(const struct cover *c, int *factors, int *values)
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
    list_factors(&c);
    if (c.factor_count < strength || !drop_impossible(&c))
        return true;
    for (int i = 0; i < strength; i++)
        slots *= (size_t)c.factor_count * COVER_VALUES;
    c.seen = calloc(slots, 1);
    bool good = c.seen != NULL;
    while (good) {
        good = c.seen[slot(&c, factors, values)] || cover_one(&c, factors, values, out);
        if (!step(&c, factors, values))
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
