#include "harness/spec/check.h"

static enum rule_result check_bounds(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                     int64_t x)
{
    int64_t bound;
    if (a->low >= 0) {
        if (!expr_number(spec->nodes, a->low, desc, &bound))
            return UNDEFINED;
        if (x < bound)
            return BROKEN;
    }
    if (a->high >= 0) {
        if (!expr_number(spec->nodes, a->high, desc, &bound))
            return UNDEFINED;
        if (x > bound)
            return BROKEN;
    }
    return HOLDS;
}

static enum rule_result check_each(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    struct expr_list list;
    if (!expr_list(spec->nodes, a->x, desc, &list))
        return UNDEFINED;
    for (int i = 0; i < list.count; i++) {
        enum rule_result verdict = check_bounds(spec, a, desc, list.items[i]);
        if (verdict != HOLDS)
            return verdict;
    }
    return HOLDS;
}

/* Lists of different lengths cannot be compared: then some other rule, about ranks, is broken. */
static enum rule_result check_equal(const struct spec *spec, const struct atom *a, const struct opdesc *desc)
{
    struct expr_list x, y;
    if (!expr_list(spec->nodes, a->x, desc, &x) || !expr_list(spec->nodes, a->low, desc, &y) || x.count != y.count)
        return UNDEFINED;
    for (int i = 0; i < x.count; i++)
        if (x.items[i] != y.items[i])
            return BROKEN;
    return HOLDS;
}

static enum rule_result check_one_of(const struct spec *spec, const struct atom *a, const struct opdesc *desc,
                                     int64_t x)
{
    int64_t low;
    for (int i = 0; i < a->set_count; i++)
        if (x == a->set[i])
            return HOLDS;
    if (!a->powers)
        return BROKEN;
    if (!expr_number(spec->nodes, a->low, desc, &low))
        return UNDEFINED;
    return x >= low && (x & (x - 1)) == 0 ? HOLDS : BROKEN;
}

enum rule_result atom_check(const struct spec *spec, int atom, const struct opdesc *desc, int table)
{
    const struct atom *a = &spec->atoms[atom];
    int64_t x;
    if (a->kind == ATOM_SINCE)
        return table < 0 ? BROKEN : HOLDS;
    if (a->when >= 0 && atom_check(spec, a->when, desc, table) != HOLDS)
        return HOLDS;
    if (a->kind == ATOM_EACH)
        return check_each(spec, a, desc);
    if (a->kind == ATOM_EQUAL)
        return check_equal(spec, a, desc);
    if (!expr_number(spec->nodes, a->x, desc, &x))
        return UNDEFINED;
    if (a->kind == ATOM_BETWEEN)
        return check_bounds(spec, a, desc, x);
    if (a->kind == ATOM_ONE_OF)
        return check_one_of(spec, a, desc, x);
    if (table < 0)
        return UNDEFINED;
    const struct spec_level *level = &spec->levels[table];
    int field = spec->nodes[a->x].field;
    if (a->kind == ATOM_TYPES)
        return x >= 0 && x < 32 && (level->types[spec->fields[field].group] >> x & 1) ? HOLDS : BROKEN;
    return x >= level->dims[field].low && x <= level->dims[field].high ? HOLDS : BROKEN;
}

static enum rule_result check_in_table(const struct spec *spec, const struct rule *rule, const struct opdesc *desc,
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
    return check_in_table(spec, &spec->rules[rule], desc, spec_table(spec, level));
}

int rules_check(const struct spec *spec, const struct opdesc *desc, DML_FEATURE_LEVEL level, int *broken, int max)
{
    int count = 0, table = spec_table(spec, level);
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        if (!rule_applies(rule, level) || check_in_table(spec, rule, desc, table) != BROKEN)
            continue;
        if (broken && count < max)
            broken[count] = i;
        count++;
    }
    return count;
}
