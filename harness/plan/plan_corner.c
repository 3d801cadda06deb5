/* Corners: violations of a rule, spread by a covering array over feature levels, data types, ranks and the ways to
 * break the rule, so that a device that checks a rule except for some type at some rank is found. op:corners.
 *
 * A row starts from a legal description with the combination; a way to break the rule that suits it is then chosen, the
 * least used one first. */
#include "harness/plan/plan_corner.h"

#include "harness/base/random.h"
#include "harness/plan/factor.h"

#include <stdlib.h>
#include <string.h>

enum {
    STRENGTH_MAX = 3,
    WAYS = 32,  /* to break a rule; later ones are left out */
    TRIES = 4,  /* legal descriptions for a combination and level, before it is given up */
    DRAWN = 20, /* descriptions that the solver draws for each */
    CELL = FACTOR_VALUES > WAYS ? FACTOR_VALUES : WAYS
};

/* The knowledge of a combination. */
enum { UNSEEN, COVERED, GIVEN_UP };

struct corner {
    const struct spec *spec;
    unsigned op;
    int rule, strength; /* of the combinations that are being covered */
    struct factor factors[FACTORS_MAX];
    int factor_count; /* the ways to break the rule are one more factor */
    char ways[WAYS][sizeof((struct solve_move){0}.label)];
    unsigned used[WAYS];
    int way_count;
    uint8_t *seen[STRENGTH_MAX + 1]; /* by strength: a state per combination; null: they are not covered */
};

static int plan_corner_count_of(const struct corner *c, int factor)
{
    return factor < c->factor_count ? c->factors[factor].count : c->way_count;
}

static size_t plan_corner_slot(const struct corner *c, int strength, const int *factors, const int *values)
{
    size_t at = 0;
    for (int i = 0; i < strength; i++)
        at = (at * (size_t)(c->factor_count + 1) + (size_t)factors[i]) * CELL + (size_t)values[i];
    return at;
}

/* Advances to the next combination of factors. False: there is none. */
static bool next_combination(int *items, int strength, int count)
{
    int i = strength - 1;
    while (i >= 0 && items[i] == count - strength + i)
        i--;
    if (i < 0)
        return false;
    items[i]++;
    for (i++; i < strength; i++)
        items[i] = items[i - 1] + 1;
    return true;
}

/* Returns true if a pair of the combination was given up, so that the search for the whole combination is in vain. */
static bool is_hopeless(const struct corner *c, const int *factors, const int *values)
{
    for (int without = 0; c->strength == 3 && without < 3; without++) {
        int first = without == 0, second = without == 2 ? 1 : 2;
        int two[2] = {factors[first], factors[second]}, of[2] = {values[first], values[second]};
        if (c->seen[2][plan_corner_slot(c, 2, two, of)] == GIVEN_UP)
            return true;
    }
    return false;
}

static void plan_corner_mark(struct corner *c, const int *row)
{
    for (int strength = 1; strength <= STRENGTH_MAX; strength++) {
        int factors[STRENGTH_MAX] = {0, 1, 2}, values[STRENGTH_MAX];
        do {
            bool known = true;
            for (int i = 0; i < strength; i++) {
                values[i] = row[factors[i]];
                known &= values[i] >= 0;
            }
            if (known && c->seen[strength])
                c->seen[strength][plan_corner_slot(c, strength, factors, values)] = COVERED;
        } while (c->seen[strength] && next_combination(factors, strength, c->factor_count + 1));
    }
}

/* Numbers the ways to break the rule by their labels. -1: there are too many. */
static int way_of(struct corner *c, const char *label)
{
    int way = 0;
    while (way < c->way_count && strcmp(c->ways[way], label) != 0)
        way++;
    if (way == WAYS)
        return -1;
    if (way == c->way_count)
        memcpy(c->ways[c->way_count++], label, sizeof c->ways[0]);
    return way;
}

/* Breaks the rule of `legal` in the way wanted (-1: in the way least used). Returns the way; -1: none works here. */
static int break_rule(struct corner *c, int table, const struct opdesc *legal, int wanted, struct solve_move *move,
                      struct opdesc *bad)
{
    static _Thread_local struct solve_move moves[SOLVE_MAX_MOVES];
    int ways[SOLVE_MAX_MOVES], count = solve_moves(c->spec, c->rule, table, legal, moves);
    struct opdesc twin;
    for (int i = 0; i < count; i++)
        ways[i] = way_of(c, moves[i].label);
    for (;;) {
        int best = -1;
        for (int i = 0; i < count; i++)
            if (ways[i] >= 0 && (wanted < 0 || ways[i] == wanted) &&
                (best < 0 || c->used[ways[i]] < c->used[ways[best]]))
                best = i;
        if (best < 0)
            return -1;
        int way = ways[best];
        if (solve_violate(c->spec, c->rule, table, legal, &moves[best], bad, &twin)) {
            c->used[way]++;
            *move = moves[best];
            return way;
        }
        ways[best] = -1;
    }
}

/* Looks for a row with the combination. */
static bool find_row(struct corner *c, const int *factors, const int *values, struct corner_row *out, int *row)
{
    uint64_t seed = random_at(random_hash(c->spec->rules[c->rule].id, random_hash(c->spec->lower, 2)),
                              plan_corner_slot(c, c->strength, factors, values));
    for (int try = 0; try < TRIES * c->spec->level_count; try++) {
        struct random random = {.key = random_at(seed, (uint64_t)try)};
        struct solve_request request;
        struct opdesc legal;
        int wanted = -1;
        solve_request_init(&request);
        request.tries = DRAWN;
        request.table = (int)((seed + (uint64_t)try) % (uint64_t)c->spec->level_count);
        for (int i = 0; i < c->strength; i++) {
            if (factors[i] == c->factor_count)
                wanted = values[i];
            else
                factor_request(&c->factors[factors[i]], c->factors[factors[i]].values[values[i]], &request);
        }
        if (!solve_satisfy(c->spec, c->op, &request, random_next(&random), &legal))
            continue;
        row[c->factor_count] = break_rule(c, request.table, &legal, wanted, &out->move, &out->desc);
        if (row[c->factor_count] < 0)
            continue;
        out->table = request.table;
        for (int i = 0; i < c->factor_count; i++) {
            int64_t value = factor_read(c->spec, &c->factors[i], &legal, request.table);
            row[i] = -1;
            for (int k = 0; k < c->factors[i].count; k++)
                if (c->factors[i].values[k] == value)
                    row[i] = k;
        }
        return true;
    }
    return false;
}

/* Keeps level, types and ranks. */
static void choose_factors(struct corner *c)
{
    int count = factors_list(c->spec, false, c->factors);
    for (int i = 0; i < count; i++) {
        const struct factor *f = &c->factors[i];
        bool rank = f->kind == FACTOR_PARAMETER && c->spec->nodes[c->spec->parameters[f->which].node].op == EXPR_DIMS;
        if (f->count > 1 && (f->kind == FACTOR_LEVEL || f->kind == FACTOR_TYPE || rank))
            c->factors[c->factor_count++] = *f;
    }
}

static bool all_values(struct corner *c, const int *factors, corner_visit visit, void *context)
{
    int values[STRENGTH_MAX] = {0}, row[FACTORS_MAX + 1];
    for (;;) {
        struct corner_row out;
        bool inside = true;
        for (int i = 0; i < c->strength; i++)
            inside &= values[i] < plan_corner_count_of(c, factors[i]);
        uint8_t *state = inside ? &c->seen[c->strength][plan_corner_slot(c, c->strength, factors, values)] : NULL;
        if (inside && *state == UNSEEN && !is_hopeless(c, factors, values)) {
            *state = GIVEN_UP;
            if (find_row(c, factors, values, &out, row)) {
                *state = COVERED;
                plan_corner_mark(c, row);
                if (!visit(context, &out))
                    return false;
            }
        }
        int i = c->strength - 1;
        while (i >= 0 && ++values[i] >= plan_corner_count_of(c, factors[i]))
            values[i--] = 0;
        if (i < 0)
            return true;
    }
}

/* Pairs before triples: a triple with a pair that is impossible need not be tried. The ways to break the rule are the
 * last factor, so that earlier rows show which there are. */
static bool all_strengths(struct corner *c, int first, int strength, corner_visit visit, void *context)
{
    bool good = true;
    for (c->strength = first; good && c->strength <= strength; c->strength++) {
        int factors[STRENGTH_MAX] = {0, 1, 2};
        do
            good = all_values(c, factors, visit, context);
        while (good && next_combination(factors, c->strength, c->factor_count + 1));
    }
    return good;
}

enum corner_result corner_make(const struct spec *spec, unsigned op, int rule, int strength, corner_visit visit,
                               void *context)
{
    struct corner c = {.spec = spec, .op = op, .rule = rule};
    size_t side, slots = 1;
    int first = strength < 2 ? strength : 2;
    bool made = true, good = false;
    choose_factors(&c);
    if (c.factor_count + 1 < strength)
        return CORNER_DONE;
    side = (size_t)(c.factor_count + 1) * CELL;
    for (int i = 1; i <= strength; i++) {
        slots *= side;
        c.seen[i] = i >= first ? calloc(slots, 1) : NULL;
        made &= i < first || c.seen[i] != NULL;
    }
    if (made)
        good = all_strengths(&c, first, strength, visit, context);
    for (int i = first; i <= strength; i++)
        free(c.seen[i]);
    if (!made)
        return CORNER_NO_MEMORY;
    return good ? CORNER_DONE : CORNER_STOPPED;
}
