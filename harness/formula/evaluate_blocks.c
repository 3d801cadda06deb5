#include "harness/formula/evaluate_blocks.h"

#include "harness/formula/evaluate_internal.h"

#include <stdlib.h>

/* The origin of the values of a node. */
enum block_source {
    BLOCK_UNUSED,  /* the formula's value does not depend on the node */
    BLOCK_UNIFORM, /* every element has the same value */
    BLOCK_ELEMENT, /* the elements of an input */
    BLOCK_RESULT,  /* the exact results */
    BLOCK_SAME,    /* those of another node, which a choice takes for every element */
    BLOCK_VARIES
};

struct formula_blocks {
    const struct formula *formula;
    const struct formula_reals *of;
    struct block_node {
        enum block_source source;
        int same;             /* BLOCK_SAME: the other node */
        double *own;          /* the values of BLOCK_UNIFORM and BLOCK_VARIES */
        const double *values; /* where the values of the current block are */
    } nodes[FORMULA_MAX_NODES];
    double *memory;
};

/* Returns true if a node without operands differs between elements in a way that blocks do not have. */
static bool block_is_foreign(enum formula_op op)
{
    return op == FORMULA_OUTPUT || op == FORMULA_NUMBER || op == FORMULA_COORDINATE || op == FORMULA_TERM ||
           op == FORMULA_FOLD || op == FORMULA_ELSEWHERE || op == FORMULA_INEXACT;
}

/* Returns the node whose values are those of node `at`. */
static int block_resolve(const struct formula_blocks *b, int at)
{
    while (b->nodes[at].source == BLOCK_SAME)
        at = b->nodes[at].same;
    return at;
}

/* Finds how the values of node `at` come about, as if all nodes were used. `values` has those of uniform nodes. */
static void block_classify(struct formula_blocks *b, int at, double values[FORMULA_MAX_NODES])
{
    const struct formula_node *node = &b->formula->nodes[at];
    const int operands[] = {node->a, node->b, node->c};
    bool is_uniform = true;
    for (int i = 0; i < formula_ops[node->op].operands; i++)
        is_uniform &= b->nodes[block_resolve(b, operands[i])].source == BLOCK_UNIFORM;
    if (node->op == FORMULA_ELEMENT)
        b->nodes[at].source = BLOCK_ELEMENT;
    else if (node->op == FORMULA_RESULT)
        b->nodes[at].source = BLOCK_RESULT;
    else if (node->op == FORMULA_IF && b->nodes[block_resolve(b, node->a)].source == BLOCK_UNIFORM)
        b->nodes[at] = (struct block_node){.source = BLOCK_SAME, .same = values[node->a] != 0 ? node->b : node->c};
    else
        b->nodes[at].source = is_uniform ? BLOCK_UNIFORM : BLOCK_VARIES;
    if (b->nodes[at].source == BLOCK_UNIFORM)
        formula_evaluate(b->formula, b->of, at, at + 1, values);
    else if (b->nodes[at].source == BLOCK_SAME)
        values[at] = values[b->nodes[at].same];
}

/* Marks the nodes on which the value depends. Returns their number, or 0 if one of them differs between elements in a
 * way that blocks do not have. */
static int block_mark(const struct formula_blocks *b, bool used[FORMULA_MAX_NODES])
{
    int count = 0;
    used[block_resolve(b, b->formula->count - 1)] = true;
    for (int at = b->formula->count - 1; at >= 0; at--) {
        const struct formula_node *node = &b->formula->nodes[at];
        const int operands[] = {node->a, node->b, node->c};
        if (!used[at])
            continue;
        count++;
        if (block_is_foreign((enum formula_op)node->op))
            return 0;
        for (int i = 0; i < formula_ops[node->op].operands && b->nodes[at].source == BLOCK_VARIES; i++)
            used[block_resolve(b, operands[i])] = true;
    }
    return count;
}

/* Gives each used node its memory, and writes the values of uniform ones. */
static bool block_fill(struct formula_blocks *b, const bool used[FORMULA_MAX_NODES], int count, const double *values)
{
    double *next = b->memory = calloc((size_t)count, BLOCK_ELEMENTS * sizeof *b->memory);
    for (int at = 0; b->memory && at < b->formula->count; at++) {
        struct block_node *node = &b->nodes[at];
        if (!used[at]) {
            node->source = node->source == BLOCK_SAME ? BLOCK_SAME : BLOCK_UNUSED;
            continue;
        }
        node->values = node->own = next;
        next += BLOCK_ELEMENTS;
        for (int i = 0; i < BLOCK_ELEMENTS && node->source == BLOCK_UNIFORM; i++)
            node->own[i] = values[at];
    }
    return b->memory;
}

struct formula_blocks *formula_blocks_new(const struct formula *formula, const struct formula_reals *of)
{
    double values[FORMULA_MAX_NODES] = {0};
    bool used[FORMULA_MAX_NODES] = {false};
    if (formula->count == 0 || of->rounds)
        return NULL;
    struct formula_blocks *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->formula = formula;
    b->of = of;
    for (int at = 0; at < formula->count; at++)
        block_classify(b, at, values);
    const int count = block_mark(b, used);
    if (count > 0 && block_fill(b, used, count, values))
        return b;
    formula_blocks_free(b);
    return NULL;
}

void formula_blocks_free(struct formula_blocks *b)
{
    if (b)
        free(b->memory);
    free(b);
}

bool formula_blocks_are_wide(const struct formula_blocks *blocks)
{
    bool wide = false;
    for (int at = 0; at < blocks->formula->count; at++)
        wide |= blocks->formula->nodes[at].op == FORMULA_WITHIN &&
                (blocks->nodes[at].source == BLOCK_VARIES || blocks->nodes[at].source == BLOCK_UNIFORM);
    return wide;
}

/* Evaluates a node for each element. The operation is a constant in each loop, so that no loop decides on it. */
static void block_evaluate(const struct formula_node *node, const struct formula_reals *of, const double *a,
                           const double *b, const double *c, double *out, int count)
{
#define OPERATION(op)                                                                                                  \
    case op:                                                                                                           \
        for (int i = 0; i < count; i++)                                                                                \
            out[i] = evaluate_real_of(op, node, of, &a[i], &b[i], &c[i]);                                              \
        break;
    switch ((enum formula_op)node->op) {
        OPERATION(FORMULA_WITHIN)
        OPERATION(FORMULA_ADD)
        OPERATION(FORMULA_SUB)
        OPERATION(FORMULA_MUL)
        OPERATION(FORMULA_DIV)
        OPERATION(FORMULA_NEG)
        OPERATION(FORMULA_ABS)
        OPERATION(FORMULA_MIN)
        OPERATION(FORMULA_MAX)
        OPERATION(FORMULA_POW)
        OPERATION(FORMULA_LT)
        OPERATION(FORMULA_LE)
        OPERATION(FORMULA_EQ)
        OPERATION(FORMULA_NE)
        OPERATION(FORMULA_AND)
        OPERATION(FORMULA_OR)
        OPERATION(FORMULA_NOT)
        OPERATION(FORMULA_IF)
        OPERATION(FORMULA_IS_NAN)
        OPERATION(FORMULA_IS_INF)
        OPERATION(FORMULA_SPACING)
        OPERATION(FORMULA_EXP)
        OPERATION(FORMULA_LOG)
    default:
        for (int i = 0; i < count; i++)
            out[i] = evaluate_real_of((enum formula_op)node->op, node, of, &a[i], &b[i], &c[i]);
    }
#undef OPERATION
}

const double *formula_blocks_run(struct formula_blocks *blocks, const double *const elements[OPDESC_MAX_TENSORS],
                                 const double *results, int count)
{
    const struct formula *formula = blocks->formula;
    static const double none[BLOCK_ELEMENTS];
    for (int at = 0; at < formula->count; at++) {
        struct block_node *block = &blocks->nodes[at];
        const struct formula_node *node = &formula->nodes[at];
        const int operands[] = {node->a, node->b, node->c};
        const double *values[] = {none, none, none};
        if (block->source == BLOCK_ELEMENT)
            block->values = elements[node->field];
        else if (block->source == BLOCK_RESULT)
            block->values = results;
        if (block->source != BLOCK_VARIES)
            continue;
        for (int i = 0; i < formula_ops[node->op].operands; i++)
            values[i] = blocks->nodes[block_resolve(blocks, operands[i])].values;
        block_evaluate(node, blocks->of, values[0], values[1], values[2], block->own, count);
    }
    return blocks->nodes[block_resolve(blocks, formula->count - 1)].values;
}
