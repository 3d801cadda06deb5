/* Covering arrays: cases such that every combination of values of any two (or three) factors occurs in one of them.
 *
 * The factors are those of the operator: feature level, data types, parameters, strides of each tensor. Parameters
 * depend on each other, so a row is not written down but asked for: the combination is pinned, the solver fills in the
 * rest, and what the row covers is read off the description that came out. */
#include "harness/plan_emit.h"

#include "harness/datatype.h"
#include "harness/random.h"

#include <stdlib.h>
#include <string.h>

enum {
    COVER_MAX_FACTORS = 1 + SPEC_MAX_GROUPS + SPEC_MAX_PARAMETERS + OPDESC_MAX_FIELDS,
    COVER_VALUES = 16, /* per factor: levels, data types, parameters up to 8, stride classes */
    COVER_CANDIDATES = 4,
    COVER_MOST_TRIES = 500, /* of the solver for a combination */
    COVER_TRIES = 10 /* of the solver for a candidate: the level and strides drawn for it may not go with the rest */
};

struct factor {
    enum factor_kind { FACTOR_LEVEL, FACTOR_TYPE, FACTOR_PARAMETER, FACTOR_STRIDES } kind;
    int which; /* group, parameter or field */
    int count;
    int values[COVER_VALUES];
};

struct cover {
    struct planner *p;
    const struct spec *spec;
    struct factor factors[COVER_MAX_FACTORS];
    int factor_count, strength;
    uint8_t *seen; /* per combination of factors and of their values: 1 when covered or given up */
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
        if (spec->fields[i].kind == FIELD_UINT)
            continue;
        f = add_factor(c, FACTOR_STRIDES, i);
        for (int class = 0; class < STRIDES_COUNT; class ++)
            if (class != STRIDES_BROADCAST || spec->fields[i].kind == FIELD_INPUT)
                f->values[f->count++] = class;
    }
}

static void request_value(struct emission *e, const struct factor *f, int value)
{
    switch (f->kind) {
    case FACTOR_LEVEL:
        e->solve.table = f->values[value];
        break;
    case FACTOR_TYPE:
        e->solve.types[f->which] = f->values[value];
        break;
    case FACTOR_PARAMETER:
        e->solve.parameters[f->which] = f->values[value];
        break;
    case FACTOR_STRIDES:
        e->solve.strides[f->which] = (uint8_t)f->values[value];
        break;
    }
}

/* Which value of the factor a row has, -1: none of the listed. */
static int row_value(const struct cover *c, const struct factor *f, const struct emission *e, const struct opdesc *desc)
{
    int64_t value = -1;
    switch (f->kind) {
    case FACTOR_LEVEL:
        value = e->solve.table;
        break;
    case FACTOR_TYPE:
        for (int i = 0; i < c->spec->field_count && value < 0; i++)
            if (c->spec->fields[i].kind != FIELD_UINT && c->spec->fields[i].group == f->which)
                value = desc->fields[i].tensor.data_type;
        break;
    case FACTOR_PARAMETER:
        expr_number(c->spec->nodes, c->spec->parameters[f->which].node, desc, &value);
        break;
    case FACTOR_STRIDES:
        value = e->solve.strides[f->which];
        break;
    }
    for (int i = 0; i < f->count; i++)
        if (f->values[i] == value)
            return i;
    return -1;
}

/* Where a combination is in `seen`, after its first values: they are numbered through, COVER_VALUES to a factor. */
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

/* How many combinations of the values of a row, from factor `first` on behind those at `before`, were not seen; marks them
 * if told to. */
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

/* Draws a row with a combination of `count` values; `plain`: the highest level and null strides, wherever the combination
 * says nothing. */
static bool try_row(struct cover *c, const int *factors, const int *values, int count, uint64_t seed, bool plain,
                    struct emission *e, struct opdesc *desc, int row[COVER_MAX_FACTORS])
{
    struct random random = {.key = seed};
    solve_request_init(&e->solve);
    e->solve.tries = plain ? COVER_MOST_TRIES : COVER_TRIES;
    for (int i = 0; i < c->factor_count; i++) { /* the solver draws the rest */
        const struct factor *f = &c->factors[i];
        int drawn =
            plain ? (f->kind == FACTOR_LEVEL ? f->count - 1 : 0) : (int)random_below(&random, (uint32_t)f->count);
        if (f->kind == FACTOR_LEVEL || f->kind == FACTOR_STRIDES)
            request_value(e, f, drawn);
    }
    for (int i = 0; i < count; i++)
        request_value(e, &c->factors[factors[i]], values[i]);
    if (!solve_satisfy(c->spec, (unsigned)c->p->op, &e->solve, random_next(&random), desc))
        return false;
    for (int i = 0; i < c->factor_count; i++)
        row[i] = row_value(c, &c->factors[i], e, desc);
    return true;
}

/* The best of a few rows that have the combination; 0: there is none. */
static int cover_one(struct cover *c, lua_State *L, const int *factors, const int *values)
{
    struct emission best = {0}, e = {.rule = -1, .strides_in_name = true};
    struct opdesc best_desc, desc;
    int row[COVER_MAX_FACTORS], best_row[COVER_MAX_FACTORS], most = 0;
    size_t own = slot(c, factors, values);
    uint64_t seed = random_at(random_hash(c->spec->lower, 0), own);
    c->seen[own] = 1; /* whether met below or impossible */
    for (int i = 0; i <= COVER_CANDIDATES; i++) {
        if (!try_row(c, factors, values, c->strength, random_at(seed, (uint64_t)i), i == 0, &e, &desc, row)) {
            if (i == 0)
                return 0; /* not even alone */
            continue;
        }
        int fresh = 1 + count_new(c, row, false, 0, 0, c->strength);
        if (fresh > most) {
            most = fresh;
            best = e;
            best_desc = desc;
            memcpy(best_row, row, sizeof row);
        }
    }
    count_new(c, best_row, true, 0, 0, c->strength);
    return planner_emit(c->p, L, &best, &best_desc);
}

/* Leaves out the values that cannot be, whatever the others are. False: nothing can be. */
static bool drop_impossible(struct cover *c)
{
    struct emission e = {.rule = -1};
    struct opdesc desc;
    int row[COVER_MAX_FACTORS];
    bool some = true;
    uint64_t seed = random_hash(c->spec->lower, 1);
    for (int i = 0; i < c->factor_count && some; i++) {
        struct factor *f = &c->factors[i];
        int kept = 0;
        for (int value = 0; value < f->count; value++)
            if (try_row(c, &i, &value, 1, random_at(seed, (uint64_t)value), true, &e, &desc, row))
                f->values[kept++] = f->values[value];
        f->count = kept;
        some = kept > 0;
    }
    return some;
}

int planner_cover(struct planner *p, lua_State *L, int strength)
{
    struct cover c = {.p = p, .spec = &p->specs->specs[p->op], .strength = strength};
    size_t slots = 1;
    int added = 0;
    list_factors(&c);
    for (int i = 0; i < strength; i++)
        slots *= (size_t)c.factor_count * COVER_VALUES;
    c.seen = calloc(slots, 1);
    if (!c.seen) {
        lua_pushstring(L, "out of memory for the combinations to cover");
        return -1;
    }
    if (c.factor_count < strength || !drop_impossible(&c)) {
        free(c.seen);
        return 0;
    }
    int factors[3] = {0, 1, 2}, values[3] = {0};
    for (bool more = true; more && added >= 0;) {
        int result = c.seen[slot(&c, factors, values)] ? 0 : cover_one(&c, L, factors, values);
        added = result < 0 ? -1 : added + result;
        int i = strength - 1; /* next values, then next factors */
        while (i >= 0 && ++values[i] == c.factors[factors[i]].count)
            values[i--] = 0;
        if (i >= 0)
            continue;
        i = strength - 1;
        while (i >= 0 && factors[i] == c.factor_count - strength + i)
            i--;
        more = i >= 0;
        if (more)
            factors[i]++;
        for (i++; more && i < strength; i++)
            factors[i] = factors[i - 1] + 1;
    }
    free(c.seen);
    return added;
}
