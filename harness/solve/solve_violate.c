/* The violating part of solve.h: makes changes that break exactly one rule. solve_moves.c lists them. */
#include "harness/check/check.h"
#include "harness/check/ordered.h"
#include "harness/solve/solve_internal.h"

#include <string.h>

static bool make_stride(struct opdesc_tensor *t, int64_t stride)
{
    uint32_t strides[OPDESC_MAX_DIMENSIONS] = {0};
    if (!t)
        return false;
    opdesc_strides(t, strides);
    for (uint32_t i = 0; i < t->dims; i++) {
        if (t->sizes[i] <= 1)
            continue;
        memcpy(t->strides, strides, sizeof strides);
        t->strides[i] = (uint32_t)stride;
        t->has_strides = true;
        t->total = (uint64_t)opdesc_implied(t);
        return true;
    }
    return false;
}

/* Returns true if the sizes of other tensors may follow from this part, so that it is not only about the storage of one
 * tensor. */
static bool has_consequences(enum expr_op op)
{
    return op == EXPR_ATTR || op == EXPR_ENTRIES || op == EXPR_DIMS || op == EXPR_DATA_TYPE || op == EXPR_SIZE ||
           op == EXPR_SIZES || op == EXPR_SLICE;
}

/* Sets entry `position` of a list, or a number, outside of its limits, by a part that it depends on. */
static bool make_steer(const struct spec *spec, int rule, int table, const struct solve_move *move, struct opdesc *desc)
{
    struct solver s;
    struct solve_ranges ranges;
    struct expr_list list;
    solver_init(&s, spec, table, rule, desc);
    s.element = move->element;
    ranges.count = 1;
    if (expr_is_list(&spec->nodes[move->node])) {
        if (!expr_list_of(spec->nodes, move->node, desc, move->element, &list))
            return false;
        ranges.count = list.count;
    }
    for (int i = 0; i < ranges.count; i++)
        ranges.at[i] = i != move->position ? (struct solve_interval){INT64_MIN, INT64_MAX}
                                           : (struct solve_interval){move->reach < 0 ? INT64_MIN : move->value,
                                                                     move->reach > 0 ? INT64_MAX : move->value};
    return move->position < ranges.count && solver_steer(&s, move->node, &ranges);
}

bool solve_move_spreads(const struct spec *spec, const struct solve_move *move)
{
    switch (move->kind) {
    case MOVE_STEER:
        return true;
    case MOVE_SET:
    case MOVE_ENTRY:
        return has_consequences(spec->nodes[move->node].op);
    default:
        return false;
    }
}

bool solve_make_move(const struct spec *spec, int rule, int table, const struct solve_move *move, struct opdesc *desc)
{
    int count = 0;
    if (move->kind == MOVE_STRIDE)
        return make_stride(expr_tensor_to_set(&spec->nodes[move->node], desc, move->element), move->value);
    if (move->kind == MOVE_REAL) {
        solve_set_real(&spec->nodes[move->node], desc, move->position, move->real);
        return true;
    }
    if (move->kind == MOVE_ORDER)
        return ordered_break(spec, &spec->atoms[move->position], move->value != 0, desc);
    if (move->kind == MOVE_STEER)
        return make_steer(spec, rule, table, move, desc);
    if (move->kind == MOVE_SET)
        return expr_assign_of(spec->nodes, move->node, desc, move->element, move->value);
    uint32_t *sizes = solve_list(spec, move->node, desc, move->element, &count);
    if (!sizes || move->position >= count)
        return false;
    sizes[move->position] = (uint32_t)move->value;
    return true;
}

int solve_pinned_by(const struct solve_move *move)
{
    return move->kind == MOVE_SET ? move->node : -1;
}

bool solve_violate(const struct spec *spec, int rule, int table, const struct opdesc *legal,
                   const struct solve_move *move, struct opdesc *bad, struct opdesc *twin)
{
    DML_FEATURE_LEVEL level = spec->levels[table].level;
    int broken = -1;
    opdesc_copy(bad, legal);
    if (!solve_make_move(spec, rule, table, move, bad))
        return false;
    if (solve_move_spreads(spec, move)) {
        solve_repair(spec, table, rule, solve_pinned_by(move), bad);
        solve_totals(spec, bad);
    }
    if (atom_check(spec, move->atom, bad, table) != BROKEN || rules_check(spec, bad, level, &broken, 1) != 1 ||
        broken != rule)
        return false;
    if (!twin)
        return true;
    opdesc_copy(twin, bad);
    if (spec->nodes[move->node].op != EXPR_DATA_TYPE && move->kind != MOVE_STRIDE) {
        solve_repair(spec, table, -1, -1, twin);
        solve_totals(spec, twin);
        if (rules_check(spec, twin, level, NULL, 0) == 0 && solve_indices_fit(spec, twin) &&
            memcmp(twin, bad, bad->size) != 0)
            return true;
    }
    opdesc_copy(twin, legal);
    return true;
}
