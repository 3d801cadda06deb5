#include "harness/plan/coverage.h"

#include "harness/plan/situation.h"
#include "harness/check/check.h"
#include "harness/base/datatype.h"
#include "harness/base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    COVERAGE_SEEDS = 4,  /* searches for a description, at each level */
    COVERAGE_TRIES = 500 /* of the solver in one search */
};

/* The knowledge of a combination; STATE_OPEN at first. */
enum state { STATE_OPEN, STATE_COVERED, STATE_MISSED, STATE_UNDECIDED, STATE_IMPOSSIBLE };

struct measurement {
    struct coverage *c;
    const struct spec *spec;
    int op;
    uint8_t *states[4]; /* enum state of each combination of 1, 2 and 3 values; see state_of() */
};

/* ---- factors */

static void list_factors(struct coverage *c)
{
    c->factor_count = factors_list(c->spec, true, c->factors);
    for (int i = 0; i < c->factor_count; i++) {
        c->first[i] = c->value_count;
        c->value_count += c->factors[i].count;
    }
}

/* Returns the index of the factor that the value with this number belongs to. */
static int factor_of(const struct coverage *c, int number)
{
    int i = 0;
    while (number >= c->first[i] + c->factors[i].count)
        i++;
    return i;
}

static int coverage_value_of(const struct coverage *c, int number, const struct factor **f)
{
    int i = factor_of(c, number);
    *f = &c->factors[i];
    return c->factors[i].values[number - c->first[i]];
}

/* ---- the values of a description */

/* Sets `row` to the number of the description's value of each factor, -1 if that value is not listed. */
static void coverage_read_row(const struct coverage *c, const struct opdesc *desc, int table, int *row)
{
    for (int i = 0; i < c->factor_count; i++) {
        const struct factor *f = &c->factors[i];
        int64_t value = factor_read(c->spec, f, desc, table);
        row[i] = -1;
        for (int j = 0; j < f->count; j++)
            if (f->values[j] == value)
                row[i] = c->first[i] + j;
    }
}

static uint8_t *state_of(const struct measurement *m, const int *values, int ways)
{
    size_t at = 0;
    for (int i = 0; i < ways; i++)
        at = at * (size_t)m->c->value_count + (size_t)values[i];
    return &m->states[ways][at];
}

static void mark_row(const struct measurement *m, const int *row)
{
    int n = m->c->factor_count, values[3];
    for (int i = 0; i < n; i++) {
        values[0] = row[i];
        if (values[0] < 0)
            continue;
        *state_of(m, values, 1) = STATE_COVERED;
        for (int j = i + 1; j < n; j++) {
            values[1] = row[j];
            if (values[1] < 0)
                continue;
            *state_of(m, values, 2) = STATE_COVERED;
            for (int k = j + 1; k < n; k++)
                if ((values[2] = row[k]) >= 0)
                    *state_of(m, values, 3) = STATE_COVERED;
        }
    }
}

/* ---- combinations that no case has */

static void request_values(const struct measurement *m, const int *values, int ways, struct solve_request *request)
{
    solve_request_init(request);
    request->table = -1;
    for (int i = 0; i < ways; i++) {
        const struct factor *f;
        int value = coverage_value_of(m->c, values[i], &f);
        factor_request(f, value, request);
    }
}

/* Returns true if the solver finds a legal description that has the combination. Checks the description instead of
 * trusting the solver. */
static bool is_found(const struct measurement *m, const int *values, int ways, const struct solve_request *request)
{
    struct opdesc desc;
    int row[FACTORS_MAX];
    uint64_t seed = random_hash(m->spec->lower, 2);
    for (int i = 0; i < ways; i++)
        seed = random_at(seed, (uint64_t)values[i]);
    for (uint64_t i = 0; i < COVERAGE_SEEDS; i++) {
        if (!solve_satisfy(m->spec, (unsigned)m->op, request, random_at(seed, i), &desc) ||
            rules_check(m->spec, &desc, m->spec->levels[request->table].level, NULL, 0) != 0)
            continue;
        bool all = true;
        coverage_read_row(m->c, &desc, request->table, row);
        for (int j = 0; j < ways; j++)
            all &= row[factor_of(m->c, values[j])] == values[j];
        if (all)
            return true;
    }
    return false;
}

static enum state coverage_decide(const struct measurement *m, const int *values, int ways)
{
    struct solve_request request;
    bool refuted = true;
    request_values(m, values, ways, &request);
    int first = request.table < 0 ? 0 : request.table, last = request.table < 0 ? m->spec->level_count - 1 : first;
    for (request.table = first; request.table <= last && refuted; request.table++)
        refuted = solve_refute(m->spec, &request);
    if (refuted)
        return STATE_IMPOSSIBLE;
    request.tries = COVERAGE_TRIES;
    for (request.table = last; request.table >= first; request.table--)
        if (is_found(m, values, ways, &request))
            return STATE_MISSED;
    return STATE_UNDECIDED;
}

/* Returns true if a part of the combination, and so all of it, is impossible. */
static bool has_impossible_part(const struct measurement *m, const int *values, int ways)
{
    for (int left_out = 0; left_out < ways; left_out++) {
        int part[2], count = 0;
        for (int i = 0; i < ways; i++)
            if (i != left_out)
                part[count++] = values[i];
        if (count > 0 && *state_of(m, part, count) == STATE_IMPOSSIBLE)
            return true;
    }
    return false;
}

static void settle(const struct measurement *m, const int *values, int ways, struct coverage_figure *figure)
{
    uint8_t *state = state_of(m, values, ways);
    if (*state == STATE_OPEN)
        *state = (uint8_t)(has_impossible_part(m, values, ways) ? STATE_IMPOSSIBLE : coverage_decide(m, values, ways));
    figure->covered += *state == STATE_COVERED;
    figure->missed += *state == STATE_MISSED;
    figure->undecided += *state == STATE_UNDECIDED;
    figure->impossible += *state == STATE_IMPOSSIBLE;
    if ((*state == STATE_MISSED || *state == STATE_UNDECIDED) && figure->hole_count < COVERAGE_LISTED) {
        struct coverage_hole *hole = &figure->holes[figure->hole_count++];
        memcpy(hole->values, values, (size_t)ways * sizeof *values);
        hole->undecided = *state == STATE_UNDECIDED;
    }
}

/* Settles every combination of values of different factors that begins with the first `depth` values. */
static void settle_all(const struct measurement *m, int *values, int depth, struct coverage_figure *figure)
{
    const struct coverage *c = m->c;
    if (depth == figure->ways) {
        settle(m, values, depth, figure);
        return;
    }
    for (int f = depth ? factor_of(c, values[depth - 1]) + 1 : 0; f < c->factor_count; f++)
        for (int i = 0; i < c->factors[f].count; i++) {
            values[depth] = c->first[f] + i;
            settle_all(m, values, depth + 1, figure);
        }
}

int coverage_measure(struct coverage *coverage, const struct spec_set *specs, int op, const struct plan *plan,
                     struct error *error)
{
    struct measurement m = {.c = coverage, .spec = &specs->specs[op], .op = op};
    struct coverage_figure single = {.ways = 1};
    int row[FACTORS_MAX], values[3];
    bool enough = true;
    memset(coverage, 0, sizeof *coverage);
    coverage->spec = m.spec;
    coverage->pairs.ways = 2;
    coverage->triples.ways = 3;
    list_factors(coverage);
    size_t size = 1;
    for (int ways = 1; ways <= 3; ways++) {
        size *= (size_t)coverage->value_count;
        m.states[ways] = calloc(size, 1);
        enough &= m.states[ways] != NULL;
    }
    coverage->situations = calloc((size_t)m.spec->situation_count + 1, sizeof *coverage->situations);
    enough &= coverage->situations != NULL;
    for (size_t i = 0; i < plan->count && enough; i++) {
        const struct testcase *c = &plan->cases[i];
        if (c->spec != m.spec)
            continue;
        for (int s = 0; s < m.spec->situation_count; s++)
            coverage->situations[s] += situation_holds(&m.spec->situations[s], c);
        if (c->expect >= EXPECT_EITHER)
            continue;
        coverage_read_row(coverage, c->desc, c->table, row);
        mark_row(&m, row);
    }
    if (enough) {
        settle_all(&m, values, 0, &single);
        settle_all(&m, values, 0, &coverage->pairs);
        settle_all(&m, values, 0, &coverage->triples);
    }
    for (int ways = 1; ways <= 3; ways++)
        free(m.states[ways]);
    return enough ? 0 : error_set(error, EXIT_HARNESS, "out of memory for the combinations of %s", m.spec->name);
}

void coverage_free(struct coverage *coverage)
{
    free(coverage->situations);
    coverage->situations = NULL;
}

/* ---- reporting */

uint64_t coverage_combinable(const struct coverage_figure *figure)
{
    return figure->covered + figure->missed + figure->undecided;
}

unsigned coverage_share(const struct coverage_figure *figure)
{
    uint64_t combinable = coverage_combinable(figure);
    return combinable ? (unsigned)(figure->covered * 10000 / combinable) : 10000;
}

void coverage_describe(const struct coverage *coverage, const struct coverage_figure *figure,
                       const struct coverage_hole *hole, char *text, size_t size)
{
    const struct spec *spec = coverage->spec;
    size_t used = 0;
    for (int i = 0; i < figure->ways && used < size; i++) {
        const struct factor *f;
        int value = coverage_value_of(coverage, hole->values[i], &f);
        const char *mark = i ? ", " : "";
        if (f->kind == FACTOR_LEVEL)
            used += (size_t)snprintf(text + used, size - used, "%slevel %s", mark, spec->levels[value].name);
        else if (f->kind == FACTOR_TYPE)
            used += (size_t)snprintf(text + used, size - used, "%s%s %s", mark, spec->groups[f->which],
                                     datatype_of((unsigned)value)->name);
        else if (f->kind == FACTOR_PARAMETER)
            used += (size_t)snprintf(text + used, size - used, "%s%s %d", mark, spec->parameters[f->which].name, value);
        else
            used += (size_t)snprintf(text + used, size - used, "%s%s %s", mark, spec->fields[f->which].name,
                                     stride_names[value]);
    }
}
