#include "harness/formula/evaluate_internal.h"

unsigned formula_precision(const struct formula_reals *of, unsigned type)
{
    return of->half && type == DML_TENSOR_DATA_TYPE_FLOAT32 ? DML_TENSOR_DATA_TYPE_FLOAT16 : type;
}

/* Evaluates a node, given the values of the earlier nodes. */
static inline __attribute__((always_inline)) double evaluate_among(const struct formula_node *node,
                                                                   const struct formula_reals *of, const double *values)
{
    return evaluate_real_of((enum formula_op)node->op, node, of, &values[node->a], &values[node->b], &values[node->c]);
}

/* Evaluates as formula_evaluate() does, and rounds the result of each operation that may be inexact. */
static void evaluate_in_steps(const struct formula *formula, const struct formula_reals *of, int from, int past,
                              double values[FORMULA_MAX_NODES])
{
    for (int i = from; i < past; i++) {
        enum formula_op op = (enum formula_op)formula->nodes[i].op;
        values[i] = evaluate_among(&formula->nodes[i], of, values);
        if ((op >= FORMULA_ADD && op <= FORMULA_DIV) || op == FORMULA_POW || op >= FORMULA_SQRT)
            values[i] = real_round(of->rounds, values[i]);
    }
}

void formula_evaluate(const struct formula *formula, const struct formula_reals *of, int from, int past,
                      double values[FORMULA_MAX_NODES])
{
    if (of->rounds) {
        evaluate_in_steps(formula, of, from, past, values);
        return;
    }
    for (int i = from; i < past; i++)
        values[i] = evaluate_among(&formula->nodes[i], of, values);
}

double formula_real(const struct formula *formula, const struct formula_reals *of)
{
    double values[FORMULA_MAX_NODES];
    formula_evaluate(formula, of, 0, formula->count, values);
    return formula->count ? values[formula->count - 1] : (double)NAN;
}
