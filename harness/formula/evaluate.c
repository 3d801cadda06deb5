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

/* The operations on real numbers, and those on integers only. */
/* clang-format off */
#define EACH_OF_REALS(X)                                                                                               \
    X(CONST) X(ELEMENT) X(OUTPUT) X(SPACING_OF) X(LEAST_OF) X(GREATEST_OF) X(MEMBER) X(ATTRIBUTE) X(BIAS)              \
    X(CAST) X(TRUNCATED) X(FLOORED) X(IS_FLOAT) X(ENTRY) X(NESTED) X(PRESENT) X(NUMBER) X(COORDINATE) X(RESULT)        \
    X(TERM) X(ROUNDOFF) X(FOLD) X(ELSEWHERE) X(INEXACT) X(SPACING) X(LARGEST) X(LOWEST) X(LEAST) X(WITHIN)             \
    X(ADD) X(SUB) X(MUL) X(DIV) X(NEG) X(ABS) X(MIN) X(MAX) X(POW) X(LT) X(LE) X(EQ) X(NE) X(AND) X(OR) X(NOT)         \
    X(IF) X(IS_NAN) X(IS_INF) X(FLOOR) X(CEIL) X(TRUNC) X(ROUND_EVEN) X(ROUND_AWAY) X(SQRT) X(EXP) X(LOG) X(SIN)       \
    X(COS) X(TAN) X(ASIN) X(ACOS) X(ATAN) X(ATAN2) X(SINH) X(COSH) X(TANH) X(ASINH) X(ACOSH) X(ATANH) X(ERF)           \
    X(EXPM1) X(LOG1P)
#define EACH_OF_INTEGERS(X)                                                                                            \
    X(BIT_AND) X(BIT_OR) X(BIT_XOR) X(SHIFT_LEFT) X(SHIFT_RIGHT) X(BIT_COUNT) X(WRAP)
/* clang-format on */

#define ONE_MORE(name) +1
_Static_assert(EACH_OF_REALS(ONE_MORE) EACH_OF_INTEGERS(ONE_MORE) == FORMULA_OPS, "each operation is in one list");

/* Each operation has its own code, at whose end it goes to that of the next node: a processor foresees such a jump
 * better than one that all operations share. Operations on integers only have no value here. */
void formula_evaluate(const struct formula *formula, const struct formula_reals *of, int from, int past,
                      double values[FORMULA_MAX_NODES])
{
#define PLACE(name) [FORMULA_##name] = &&at_##name,
#define NO_PLACE(name) [FORMULA_##name] = &&at_none,
    static const void *const places[FORMULA_OPS] = {EACH_OF_REALS(PLACE) EACH_OF_INTEGERS(NO_PLACE)};
    const struct formula_node *node = formula->nodes + from, *const end = formula->nodes + past;
    double *out = values + from;
    if (of->rounds) {
        evaluate_in_steps(formula, of, from, past, values);
        return;
    }
    if (from >= past)
        return;
    goto *places[node->op];
#define NEXT                                                                                                           \
    if (++node == end)                                                                                                 \
        return;                                                                                                        \
    goto *places[node->op];
#define CODE(name)                                                                                                     \
    at_##name : *out++ =                                                                                               \
                    evaluate_real_of(FORMULA_##name, node, of, &values[node->a], &values[node->b], &values[node->c]);  \
    NEXT
    EACH_OF_REALS(CODE)
at_none:
    *out++ = (double)NAN;
    NEXT
#undef PLACE
#undef NO_PLACE
#undef NEXT
#undef CODE
}

double formula_real(const struct formula *formula, const struct formula_reals *of)
{
    double values[FORMULA_MAX_NODES];
    formula_evaluate(formula, of, 0, formula->count, values);
    return formula->count ? values[formula->count - 1] : (double)NAN;
}
