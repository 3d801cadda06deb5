#include "harness/check/check.h"

#include "harness/check/ordered.h"

/* Keeps a function apart from a caller that calls it last: that caller then has no registers to save. */
#define APART __attribute__((noinline))

/* The operand of a condition: the entries of a list, or a number, whose one entry stands for any entry. */
struct operand {
    bool is_list;
    struct expr_list list;
};

static bool check_read_operand(const struct spec *spec, int node, const struct opdesc *desc, int element,
                               struct operand *out)
{
    out->is_list = expr_is_list(&spec->nodes[node]);
    out->list.count = 1;
    return out->is_list ? expr_list_of(spec->nodes, node, desc, element, &out->list)
                        : expr_number_of(spec->nodes, node, desc, element, &out->list.items[0]);
}

static int64_t check_entry(const struct operand *operand, int i)
{
    return operand->list.items[operand->is_list ? i : 0];
}

APART static enum rule_result check_check_between(const struct spec *spec, const struct atom *a,
                                                  const struct opdesc *desc, int element)
{
    int64_t x, bound;
    if (!expr_number_of(spec->nodes, a->x, desc, element, &x))
        return UNDEFINED;
    if (a->low >= 0) {
        if (!expr_number_of(spec->nodes, a->low, desc, element, &bound))
            return UNDEFINED;
        if (x < bound)
            return BROKEN;
    }
    if (a->high >= 0) {
        if (!expr_number_of(spec->nodes, a->high, desc, element, &bound))
            return UNDEFINED;
        if (x > bound)
            return BROKEN;
    }
    return HOLDS;
}

/* Reads a bound of every entry of a list of `count`. It is a list of as many entries; or a number, whose step is 0, so
 * that it stands for all. */
static inline bool read_bound(const struct spec *spec, int node, const struct opdesc *desc, int element, int count,
                              int64_t absent, struct expr_list *out, int *step)
{
    *step = 0;
    out->items[0] = absent;
    if (node < 0)
        return true;
    if (!expr_is_list(&spec->nodes[node]))
        return expr_number_of(spec->nodes, node, desc, element, &out->items[0]);
    *step = 1;
    return expr_list_of(spec->nodes, node, desc, element, out) && out->count == count;
}

APART static enum rule_result check_check_each(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                               int element)
{
    struct expr_list x, low, high;
    int of_low, of_high;
    if (!expr_list_of(spec->nodes, a->x, desc, element, &x) ||
        !read_bound(spec, a->low, desc, element, x.count, INT64_MIN, &low, &of_low) ||
        !read_bound(spec, a->high, desc, element, x.count, INT64_MAX, &high, &of_high))
        return UNDEFINED;
    for (int i = 0; i < x.count; i++)
        if (x.items[i] < low.items[of_low * i] || x.items[i] > high.items[of_high * i])
            return BROKEN;
    return HOLDS;
}

/* Lists of different lengths are not compared, since some other rule, about ranks, is broken then. */
APART static enum rule_result check_pairs(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                          int element)
{
    struct expr_list x, y;
    if (!expr_list_of(spec->nodes, a->x, desc, element, &x) || !expr_list_of(spec->nodes, a->low, desc, element, &y) ||
        x.count != y.count)
        return UNDEFINED;
    for (int i = 0; i < x.count; i++)
        if (x.items[i] != y.items[i] && (a->kind == ATOM_EQUAL || x.items[i] != 1))
            return BROKEN;
    return HOLDS;
}

APART static enum rule_result check_divides(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                            int element)
{
    struct operand x, by;
    if (!check_read_operand(spec, a->x, desc, element, &x) || !check_read_operand(spec, a->low, desc, element, &by) ||
        (x.is_list && by.is_list && x.list.count != by.list.count))
        return UNDEFINED;
    for (int i = 0; i < by.list.count; i++)
        if (by.list.items[i] == 0)
            return UNDEFINED;
    for (int i = 0; i < (by.is_list ? by.list.count : x.list.count); i++)
        if (check_entry(&by, i) != -1 && check_entry(&x, i) % check_entry(&by, i) != 0)
            return BROKEN;
    return HOLDS;
}

APART static enum rule_result check_distinct(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                             int element)
{
    struct expr_list x;
    if (!expr_list_of(spec->nodes, a->x, desc, element, &x))
        return UNDEFINED;
    for (int i = 1; i < x.count; i++)
        for (int j = 0; j < i; j++)
            if (x.items[i] == x.items[j])
                return BROKEN;
    return HOLDS;
}

static bool check_in_set(const struct atom *a, int64_t x)
{
    for (int i = 0; i < a->set_count; i++)
        if (x == a->set[i])
            return true;
    return false;
}

APART static enum rule_result check_one_of(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                           int element)
{
    struct operand x;
    int64_t low;
    if (!check_read_operand(spec, a->x, desc, element, &x))
        return UNDEFINED;
    for (int i = 0; i < x.list.count; i++) {
        int64_t value = x.list.items[i];
        if (check_in_set(a, value))
            continue;
        if (!a->powers)
            return BROKEN;
        if (!expr_number_of(spec->nodes, a->low, desc, element, &low))
            return UNDEFINED;
        if (value < low || (value & (value - 1)) != 0)
            return BROKEN;
    }
    return HOLDS;
}

APART static enum rule_result check_member(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                           int element)
{
    struct operand x;
    struct expr_list set;
    if (!check_read_operand(spec, a->x, desc, element, &x) || !expr_list_of(spec->nodes, a->low, desc, element, &set))
        return UNDEFINED;
    for (int i = 0; i < x.list.count; i++) {
        int j = 0;
        while (j < set.count && set.items[j] != x.list.items[i])
            j++;
        if (j == set.count)
            return BROKEN;
    }
    return HOLDS;
}

/* ANY holds if a part holds, and is broken if all are; ALL is broken if a part is, and holds if all hold. */
APART static enum rule_result check_parts(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                          int element, int table)
{
    enum rule_result decides = a->kind == ATOM_ANY ? HOLDS : BROKEN, verdict = a->kind == ATOM_ANY ? BROKEN : HOLDS;
    for (int i = 0; i < a->part_count; i++) {
        enum rule_result of_part = atom_check_of(spec, a->parts[i], desc, table, element);
        if (of_part == decides)
            return decides;
        if (of_part == UNDEFINED)
            verdict = UNDEFINED;
    }
    return verdict;
}

/* Checks the parts for every element of an array. */
APART static enum rule_result check_every(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                          int table)
{
    enum rule_result verdict = HOLDS;
    for (unsigned element = 0; element < opdesc_count(desc, a->array); element++) {
        enum rule_result of_element = check_parts(spec, a, desc, (int)element, table);
        if (of_element == BROKEN)
            return BROKEN;
        if (of_element != HOLDS)
            verdict = of_element;
    }
    return verdict;
}

/* A NaN is in no range. */
APART static enum rule_result check_reals(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    struct expr_reals x;
    if (!expr_reals(spec->nodes, a->x, desc, &x))
        return UNDEFINED;
    for (int i = 0; i < x.count; i++)
        if (!atom_allows(a, x.items[i]))
            return BROKEN;
    return HOLDS;
}

APART static enum rule_result check_ordered(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    int order;
    if (!ordered_compare(spec, a, desc, &order))
        return UNDEFINED;
    return order <= 0 ? HOLDS : BROKEN;
}

APART static enum rule_result check_table(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                          int table, int element)
{
    int64_t x;
    if (table < 0 || !expr_number_of(spec->nodes, a->x, desc, element, &x))
        return UNDEFINED;
    const struct spec_level *level = &spec->levels[table];
    int field = spec->nodes[a->x].field;
    if (a->kind == ATOM_TYPES) {
        int group = spec->fields[field].group;
        return x >= 0 && x < 32 && ((level->types[group] | level->beyond[group]) >> x & 1) ? HOLDS : BROKEN;
    }
    return x >= level->dims[field].low && x <= level->dims[field].high ? HOLDS : BROKEN;
}

/* Checks an atom that applies. */
static inline enum rule_result check_atom(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                          int table, int element)
{
    if (a->kind == ATOM_BETWEEN) /* most atoms are of this kind */
        return check_check_between(spec, a, desc, element);
    switch (a->kind) {
    case ATOM_EACH:
        return check_check_each(spec, a, desc, element);
    case ATOM_EQUAL:
    case ATOM_BROADCASTS:
        return check_pairs(spec, a, desc, element);
    case ATOM_ONE_OF:
        return check_one_of(spec, a, desc, element);
    case ATOM_MEMBER:
        return check_member(spec, a, desc, element);
    case ATOM_DISTINCT:
        return check_distinct(spec, a, desc, element);
    case ATOM_DIVIDES:
        return check_divides(spec, a, desc, element);
    case ATOM_ANY:
    case ATOM_ALL:
        return check_parts(spec, a, desc, element, table);
    case ATOM_EVERY:
        return check_every(spec, a, desc, table);
    case ATOM_ORDERED:
        return check_ordered(spec, a, desc);
    case ATOM_REALS:
        return check_reals(spec, a, desc);
    case ATOM_SINCE:
        return table < 0 ? BROKEN : HOLDS;
    default: /* ATOM_TYPES and ATOM_DIMS */
        return check_table(spec, a, desc, table, element);
    }
}

/* Checks an atom that may not apply, because of its level or its condition. Most atoms hold anyway; then the condition
 * need not be known. */
APART static enum rule_result check_if_applies(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                               int table, int element)
{
    if (!levels_include(a->from, a->before, table < 0 ? spec->since : spec->levels[table].level))
        return HOLDS;
    enum rule_result verdict = check_atom(spec, a, desc, table, element);
    if (verdict != HOLDS && a->when >= 0 && atom_check_of(spec, a->when, desc, table, element) != HOLDS)
        return HOLDS;
    return verdict;
}

enum rule_result atom_check_of(const struct spec *spec, int atom, const struct opdesc *desc, int table, int element)
{
    const struct atom *a = &spec->atoms[atom];
    return a->when < 0 && a->from == 0 && a->before == 0 ? check_atom(spec, a, desc, table, element)
                                                         : check_if_applies(spec, a, desc, table, element);
}

enum rule_result conditions_check(const struct spec *spec, const struct rule *rule, const struct opdesc *desc,
                                  int table)
{
    enum rule_result verdict = HOLDS;
    for (int i = 0; i < rule->atom_count && verdict != BROKEN; i++) {
        enum rule_result of_atom = atom_check(spec, rule->first_atom + i, desc, table);
        if (of_atom != HOLDS)
            verdict = of_atom;
    }
    return verdict;
}

enum rule_result rule_check(const struct spec *spec, int rule, const struct opdesc *desc, DML_FEATURE_LEVEL level)
{
    if (!rule_applies(&spec->rules[rule], level))
        return HOLDS;
    return conditions_check(spec, &spec->rules[rule], desc, spec_table(spec, level));
}

int rules_check(const struct spec *spec, const struct opdesc *desc, DML_FEATURE_LEVEL level, int *broken, int max)
{
    int count = 0, table = spec_table(spec, level);
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        if (!rule_applies(rule, level) || conditions_check(spec, rule, desc, table) != BROKEN)
            continue;
        if (broken && count < max)
            broken[count] = i;
        count++;
    }
    return count;
}
