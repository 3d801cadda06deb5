#include "harness/formula/branches.h"

#include "harness/formula/folding.h"

#include <math.h>
#include <string.h>

static bool is_settled(const struct formula_node *node, const struct formula_reals *reals, bool placed)
{
    bool whole = node->op == FORMULA_ATTRIBUTE && !(reals->real_attributes >> node->field & 1);
    bool is_type = node->op == FORMULA_NESTED && node->value < 0;
    return node->op == FORMULA_CONST || node->op == FORMULA_PRESENT || whole || is_type ||
           (placed && node->op == FORMULA_COORDINATE) || (node->op >= FORMULA_ADD && node->op <= FORMULA_MUL) ||
           (node->op >= FORMULA_LT && node->op <= FORMULA_IF);
}

void branches_settle(const struct formula *formula, const struct formula_reals *reals, bool placed, struct settled *out)
{
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        const int16_t operands[] = {node->a, node->b, node->c};
        out->used[i] = false;
        out->known[i] = is_settled(node, reals, placed);
        for (int n = 0; n < formula_ops[node->op].operands; n++)
            out->known[i] &= out->known[operands[n]];
        if (out->known[i])
            formula_evaluate(formula, reals, i, i + 1, out->values);
    }
}

uint32_t branches_mark(const struct formula *formula, struct settled *settled)
{
    uint32_t folds = 0;
    memset(settled->used, 0, (size_t)formula->count * sizeof *settled->used);
    for (int i = formula->count; i-- > 0;) {
        const struct formula_node *node = &formula->nodes[i];
        const int16_t operands[] = {node->a, node->b, node->c};
        bool branches = node->op == FORMULA_IF && settled->known[node->a];
        if (i + 1 < formula->count && !settled->used[i])
            continue;
        settled->used[i] = true;
        if (node->op == FORMULA_FOLD || node->op == FORMULA_INEXACT)
            folds |= 1u << node->field;
        for (int n = 0; n < formula_ops[node->op].operands; n++)
            settled->used[operands[n]] |= !branches || n == 0 || n == (settled->values[node->a] != 0 ? 1 : 2);
    }
    return folds;
}

void branches_prepare(struct branches *out, const struct spec_result *result, const struct formula_reals *reals)
{
    struct settled always;
    const struct formula *formula = &result->value;
    out->result = result;
    out->condition_count = out->run_count = 0;
    out->chosen = false;
    branches_settle(formula, reals, false, &always);
    branches_settle(formula, reals, true, &out->settled);
    memset(out->decides, 0, (size_t)formula->count * sizeof *out->decides);
    memset(out->watched, 0, sizeof out->watched);
    for (int i = 0; i < formula->count; i++) {
        if (formula->nodes[i].op == FORMULA_IF)
            out->decides[formula->nodes[i].a] = true;
        if (formula->nodes[i].op == FORMULA_COORDINATE)
            out->watched[(int)formula->nodes[i].value - 1] = true;
    }
    for (int i = 0; i < formula->count; i++)
        if (out->settled.known[i] && !always.known[i])
            out->conditions[out->condition_count++] = (int16_t)i;
}

static void branches_find_runs(struct branches *b)
{
    const bool *used = b->settled.used;
    b->run_count = 0;
    for (int i = 0; i < b->result->value.count; i++) {
        if (!used[i])
            continue;
        if (i == 0 || !used[i - 1])
            b->runs[b->run_count++].from = (int16_t)i;
        b->runs[b->run_count - 1].past = (int16_t)(i + 1);
    }
}

/* Notes the place. Returns true if it differs from the place before in a coordinate that matters. */
static bool branches_move(struct branches *b, const struct formula_reals *reals)
{
    bool moved = !b->chosen;
    for (int d = 0; d < OPDESC_MAX_DIMENSIONS; d++)
        if (b->watched[d]) {
            moved |= b->place[d] != reals->coordinates[d];
            b->place[d] = reals->coordinates[d];
        }
    return moved;
}

uint32_t branches_choose(struct branches *b, const struct formula_reals *reals)
{
    const struct formula *formula = &b->result->value;
    bool same = b->chosen;
    if (!branches_move(b, reals))
        return b->folds;
    for (int n = 0; n < b->condition_count; n++) {
        const int i = b->conditions[n];
        const double before = b->settled.values[i];
        formula_evaluate(formula, reals, i, i + 1, b->settled.values);
        same &= !b->decides[i] || before == b->settled.values[i];
    }
    if (!same) {
        b->folds = folding_named_by(b->result, branches_mark(formula, &b->settled), reals);
        branches_find_runs(b);
        b->chosen = true;
    }
    return b->folds;
}

void branches_evaluate(const struct branches *b, const struct formula_reals *reals, double values[FORMULA_MAX_NODES])
{
    for (int n = 0; n < b->run_count; n++)
        formula_evaluate(&b->result->value, reals, b->runs[n].from, b->runs[n].past, values);
}

double branches_real(const struct branches *b, const struct formula_reals *reals)
{
    double values[FORMULA_MAX_NODES];
    branches_evaluate(b, reals, values);
    return b->result->value.count ? values[b->result->value.count - 1] : (double)NAN;
}
