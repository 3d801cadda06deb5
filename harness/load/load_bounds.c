/* This file collects the bounds that rules put on numbers, once, so that the solver need not search all rules each
 * time. */
#include "harness/load/load_internal.h"
#include "harness/solve/solve_internal.h"

#include <string.h>

/* Returns true if intervals of the operands bound the number, and the number bounds them. */
static bool is_arithmetic(const struct expr *node)
{
    return node->op >= EXPR_ADD && node->op <= EXPR_DIV_UP;
}

/* Returns true if the number is about the storage of one tensor: no other number depends on it. */
static bool is_storage(const struct expr *node)
{
    switch (node->op) {
    case EXPR_DATA_TYPE:
    case EXPR_TENSOR_TYPE:
    case EXPR_FLAGS:
    case EXPR_ALIGNMENT:
    case EXPR_TOTAL:
    case EXPR_PRESENT:
    case EXPR_HAS_SIZES:
    case EXPR_EXTENT:
        return true;
    default:
        return false;
    }
}

/* Returns true if a condition holds in every legal description at the level because a rule requires it. */
static bool is_required(const struct spec *spec, const struct atom *condition, DML_FEATURE_LEVEL level)
{
    for (int i = 0; i < spec->rule_count; i++) {
        const struct rule *rule = &spec->rules[i];
        for (int j = 0; j < rule->atom_count && rule_applies(rule, level); j++) {
            const struct atom *a = &spec->atoms[rule->first_atom + j];
            if (a->when < 0 && a->kind == ATOM_BETWEEN && condition->kind == ATOM_BETWEEN && a->x == condition->x &&
                a->low == condition->low && a->high == condition->high)
                return true;
        }
    }
    return false;
}

/* Returns true if the condition bounds every entry of an array by numbers. */
static bool bounds_entries(const struct spec *spec, const struct atom *a)
{
    return a->kind == ATOM_EACH && spec->nodes[a->x].op == EXPR_ENTRIES && a->when < 0 &&
           (a->low < 0 || !expr_is_list(&spec->nodes[a->low])) && (a->high < 0 || !expr_is_list(&spec->nodes[a->high]));
}

static void load_bounds_add_atom(const struct spec *spec, const struct atom *a, DML_FEATURE_LEVEL level,
                                 struct spec_bounds *out)
{
    bool of_number = a->kind == ATOM_BETWEEN && !is_storage(&spec->nodes[a->x]) &&
                     (a->when < 0 || is_required(spec, &spec->atoms[a->when], level));
    if ((of_number || bounds_entries(spec, a)) && levels_include(a->from, a->before, level))
        out->items[out->count++] = (struct spec_bound){(int16_t)a->low, (int16_t)a->x, (int16_t)a->high};
    if (a->kind == ATOM_EACH && a->when < 0 && levels_include(a->from, a->before, level) &&
        spec->nodes[a->x].op == EXPR_SIZES && a->high >= 0 && spec->nodes[a->high].op == EXPR_CONST &&
        spec->nodes[a->high].value == 1)
        out->single |= 1u << spec->nodes[a->x].field;
}

void compile_bounds(struct loader *l)
{
    struct spec *spec = l->spec;
    spec->sums = pool_alloc(&l->set->pool, (size_t)spec->node_count * sizeof *spec->sums);
    memset(spec->number_nodes, -1, sizeof spec->number_nodes);
    for (int i = spec->node_count; i-- > 0;)
        if (spec->nodes[i].op == EXPR_ATTR)
            spec->number_nodes[spec->nodes[i].field] = (int16_t)i;
        else if (spec->nodes[i].op == EXPR_DIMS)
            spec->dims_nodes[spec->nodes[i].field] = (int16_t)i;
    for (int i = 0; i < spec->node_count; i++)
        if (is_arithmetic(&spec->nodes[i]))
            spec->sums[spec->sum_count++] = (int16_t)i;
    for (int i = 0; i < spec->atom_count; i++)
        spec->atoms[i].repairable = solver_can_repair(spec, &spec->atoms[i]);
    for (int table = 0; table < spec->level_count; table++) {
        struct spec_bounds *out = &spec->bounds[table];
        DML_FEATURE_LEVEL level = spec->levels[table].level;
        out->items = pool_alloc(&l->set->pool, (size_t)spec->atom_count * sizeof *out->items);
        for (int i = 0; i < spec->rule_count; i++)
            for (int j = 0; j < spec->rules[i].atom_count && rule_applies(&spec->rules[i], level); j++)
                load_bounds_add_atom(spec, &spec->atoms[spec->rules[i].first_atom + j], level, out);
    }
}
