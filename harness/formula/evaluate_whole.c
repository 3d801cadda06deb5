/* This file evaluates formulas in integers. */
#include "harness/formula/evaluate.h"

#include "harness/base/datatype.h"

#include <math.h>

typedef unsigned __int128 natural;

static formula_integer formula_whole_lowest_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    return t->is_signed ? -((formula_integer)1 << (t->bits - 1)) : 0;
}

static formula_integer formula_whole_largest_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    return ((formula_integer)1 << (t->bits - (t->is_signed ? 1 : 0))) - 1;
}

static formula_integer formula_whole_clamp(formula_integer value, formula_integer low, formula_integer high)
{
    if (value < low)
        return low;
    return value > high ? high : value;
}

static formula_integer wrapped(unsigned type, formula_integer value)
{
    natural low = (natural)formula_whole_lowest_of(type), mask = ((natural)1 << datatype_of(type)->bits) - 1;
    return (formula_integer)((((natural)value - low) & mask) + low);
}

/* Computes a power. A power beyond 2^100 keeps its sign and its low 64 bits: it is in the range of no type, and wraps
 * as it should. */
static bool power(formula_integer base, formula_integer exponent, formula_integer *out)
{
    const formula_integer limit = (formula_integer)1 << 100;
    natural result = 1, square = (natural)base;
    bool negative = base < 0 && (exponent & 1), large = false, large_square = false;
    if (exponent < 0)
        return false;
    for (formula_integer left = exponent; left > 0; left >>= 1) {
        double of_square = fabs((double)(formula_integer)square), of_result = fabs((double)(formula_integer)result);
        if (left & 1) {
            large |= result != 0 && (large_square || of_square * of_result >= (double)limit);
            result *= square;
        }
        large_square |= of_square * of_square >= (double)limit;
        square *= square;
    }
    bool one = base >= -1 && base <= 1; /* the squares of these never grow */
    *out = (formula_integer)result;
    if (large && !one)
        *out = (negative ? -limit : limit) + (formula_integer)(uint64_t)result;
    return true;
}

formula_integer formula_product(formula_integer a, formula_integer b)
{
    const formula_integer limit = (formula_integer)1 << 100;
    bool large = fabs((double)a) * fabs((double)b) >= 0x1p100;
    natural low = (natural)a * (natural)b; /* the low 64 bits are right even if 2^100 was added to a */
    if (!large)
        return (formula_integer)low;
    return ((a < 0) != (b < 0) ? -limit : limit) + (formula_integer)(uint64_t)low;
}

/* Evaluates a node whose operands are a, b and c. Sums and products are taken modulo 2^128. */
static bool evaluate_whole_of(const struct formula_node *node, const struct formula_integers *of, formula_integer a,
                              formula_integer b, formula_integer c, formula_integer *out)
{
    switch ((enum formula_op)node->op) {
    case FORMULA_CONST:
        /* Nearly all constants are small, and converting a double to 64 bits is much faster than to 128. */
        if (fabs(node->value) < 0x1p62) {
            *out = (int64_t)node->value;
            return true;
        }
        if (isnan(node->value))
            return false;
        /* A large integer stands for an infinity. */
        *out = (formula_integer)fmax(fmin(node->value, 0x1p100), -0x1p100);
        return true;
    case FORMULA_NUMBER:
        *out = of->number;
        return true;
    case FORMULA_COORDINATE:
        *out = of->coordinates[(int)node->value - 1];
        return true;
    case FORMULA_ELEMENT:
    case FORMULA_OUTPUT:
        *out = of->elements[node->field];
        return true;
    case FORMULA_ATTRIBUTE:
        *out = of->attributes[node->field];
        return !(of->fractions >> node->field & 1);
    case FORMULA_CAST:
        *out = formula_whole_clamp(of->attributes[node->field], formula_whole_lowest_of(of->type),
                                   formula_whole_largest_of(of->type));
        return true;
    case FORMULA_BIAS:
        *out = of->biases[node->field];
        return !(of->fractions >> node->field & 1);
    case FORMULA_TRUNCATED:
        *out = of->attributes[node->field];
        return !(of->nans >> node->field & 1);
    case FORMULA_FLOORED:
        *out = of->attributes[node->field] - (of->fractions >> node->field & of->negatives >> node->field & 1);
        return !(of->nans >> node->field & 1);
    case FORMULA_IS_FLOAT:
        *out = of->floats >> node->field & 1;
        return true;
    case FORMULA_FOLD:
        *out = node->value == FOLD_VALUE ? of->folds[node->field].value : of->folds[node->field].count;
        return of->folds[node->field].defined && node->value <= FOLD_COUNT;
    case FORMULA_ELSEWHERE:
        *out = node->value == FOLD_VALUE ? of->others[node->field].value : of->others[node->field].count;
        return of->others[node->field].defined && node->value <= FOLD_COUNT;
    case FORMULA_ROUNDOFF:
        *out = 0;
        return true;
    case FORMULA_SPACING:
        *out = 1;
        return true;
    case FORMULA_LARGEST:
        *out = formula_whole_largest_of(of->type);
        return true;
    case FORMULA_LOWEST:
        *out = formula_whole_lowest_of(of->type);
        return true;
    case FORMULA_WITHIN:
        *out = a + of->shift * b;
        return true;
    case FORMULA_WRAP:
        *out = wrapped(of->type, a);
        return true;
    case FORMULA_PRESENT:
        *out = of->present >> node->field & 1;
        return true;
    case FORMULA_ADD:
        *out = (formula_integer)((natural)a + (natural)b);
        return true;
    case FORMULA_SUB:
        *out = (formula_integer)((natural)a - (natural)b);
        return true;
    case FORMULA_MUL:
        *out = (formula_integer)((natural)a * (natural)b);
        return true;
    case FORMULA_DIV:
        if (b == 0)
            return false;
        *out = b == -1 ? (formula_integer)(0 - (natural)a) : a / b;
        return true;
    case FORMULA_NEG:
        *out = (formula_integer)(0 - (natural)a);
        return true;
    case FORMULA_ABS:
        *out = a < 0 ? (formula_integer)(0 - (natural)a) : a;
        return true;
    case FORMULA_MIN:
        *out = a < b ? a : b;
        return true;
    case FORMULA_MAX:
        *out = a > b ? a : b;
        return true;
    case FORMULA_POW:
        return power(a, b, out);
    case FORMULA_LT:
        *out = a < b;
        return true;
    case FORMULA_LE:
        *out = a <= b;
        return true;
    case FORMULA_EQ:
        *out = a == b;
        return true;
    case FORMULA_NE:
        *out = a != b;
        return true;
    case FORMULA_AND:
        *out = a != 0 && b != 0;
        return true;
    case FORMULA_OR:
        *out = a != 0 || b != 0;
        return true;
    case FORMULA_NOT:
        *out = a == 0;
        return true;
    case FORMULA_IF:
        *out = a != 0 ? b : c;
        return true;
    case FORMULA_IS_NAN:
    case FORMULA_IS_INF:
        *out = 0;
        return true;
    case FORMULA_FLOOR:
    case FORMULA_CEIL:
    case FORMULA_TRUNC:
    case FORMULA_ROUND_EVEN:
    case FORMULA_ROUND_AWAY:
        *out = a;
        return true;
    case FORMULA_BIT_AND:
        *out = a & b;
        return true;
    case FORMULA_BIT_OR:
        *out = a | b;
        return true;
    case FORMULA_BIT_XOR:
        *out = a ^ b;
        return true;
    case FORMULA_SHIFT_LEFT:
        if (b < 0 || b >= 128)
            return false;
        *out = (formula_integer)((natural)a << b);
        return true;
    case FORMULA_SHIFT_RIGHT:
        if (b < 0 || b >= 128)
            return false;
        *out = (formula_integer)((natural)a >> b);
        return true;
    case FORMULA_BIT_COUNT:
        *out =
            __builtin_popcountll((unsigned long long)a) + __builtin_popcountll((unsigned long long)((natural)a >> 64));
        return true;
    default:
        return false;
    }
}

bool formula_whole(const struct formula *formula, const struct formula_integers *of, formula_integer *out)
{
    formula_integer values[FORMULA_MAX_NODES], a, b, c;
    bool defined[FORMULA_MAX_NODES];
    for (int i = 0; i < formula->count; i++) {
        const struct formula_node *node = &formula->nodes[i];
        int operands = formula_ops[node->op].operands;
        a = operands > 0 ? values[node->a] : 0;
        b = operands > 1 ? values[node->b] : 0;
        c = operands > 2 ? values[node->c] : 0;
        defined[i] = operands < 1 || defined[node->a];
        if (node->op == FORMULA_IF) /* the operand that IF does not choose may be undefined */
            defined[i] = defined[i] && defined[a != 0 ? node->b : node->c];
        else
            defined[i] = defined[i] && (operands < 2 || defined[node->b]) && (operands < 3 || defined[node->c]);
        values[i] = 0;
        defined[i] = defined[i] && evaluate_whole_of(node, of, a, b, c, &values[i]);
        if (node->op == FORMULA_IS_NAN && formula->nodes[node->a].op == FORMULA_CAST)
            values[i] = of->nans >> formula->nodes[node->a].field & 1;
    }
    *out = formula->count ? values[formula->count - 1] : 0;
    return formula->count && defined[formula->count - 1];
}
