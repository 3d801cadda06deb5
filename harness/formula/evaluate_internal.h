/* evaluate_internal.h: the value of one node of a formula in real numbers. */
#ifndef FORMULA_EVALUATE_INTERNAL_H
#define FORMULA_EVALUATE_INTERNAL_H

#include "harness/formula/evaluate.h"

#include "harness/base/datatype.h"
#include "harness/base/real.h"

#include <math.h>
#include <string.h>

/* Rounds halves to even in any rounding mode: a device under test may have changed it. */
static inline double round_even(double value)
{
    double down = floor(value), rest = value - down;
    if (rest != 0.5)
        return rest < 0.5 ? down : ceil(value);
    return fmod(down, 2) == 0 ? down : down + 1;
}

/* These return the largest and the lowest finite number of a type. Types that are not floating-point are integers. */
static inline double formula_largest_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    return t->is_float ? real_largest(type) : ldexp(1, (int)t->bits - (int)t->is_signed) - 1;
}

static inline double formula_lowest_of(unsigned type)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        return -real_largest(type);
    return t->is_signed ? -ldexp(1, (int)t->bits - 1) : 0;
}

static inline double spacing_in(unsigned type, double value)
{
    return datatype_of(type)->is_float ? real_spacing(type, value) : 1;
}

static inline double roundoff_in(unsigned type)
{
    return datatype_of(type)->is_float ? real_roundoff(type) : 0;
}

static inline double cast(unsigned type, double value)
{
    if (datatype_of(type)->is_float)
        return real_round(type, value);
    return isnan(value) ? value : fmin(fmax(trunc(value), formula_lowest_of(type)), formula_largest_of(type));
}

/* Returns entry `at` of an array of FLOATs. */
static inline double formula_entry(const struct formula_reals *of, int field, double at)
{
    float value;
    if (!of->desc || !opdesc_present(of->desc, field) || !(at >= 0 && at < opdesc_count(of->desc, field)))
        return (double)NAN;
    memcpy(&value, &OPDESC_ELEMENT(of->desc, field, 0)->list[(int)at], sizeof value);
    return of->attributes_halved ? real_round(DML_TENSOR_DATA_TYPE_FLOAT16, (double)value) : (double)value;
}

/* Returns a FLOAT of description `at` of an array of operator descriptions, or its type if `member` is below 0. */
static inline double formula_nested(const struct formula_reals *of, int field, int member, double at)
{
    if (!of->desc || !opdesc_present(of->desc, field) || !(at >= 0 && at < opdesc_count(of->desc, field)))
        return (double)NAN;
    const struct opdesc_nested *nested = opdesc_nested(of->desc, field, (unsigned)at);
    if (member < 0)
        return nested->type;
    const double value = (double)nested->values[member].real;
    return of->attributes_halved ? real_round(DML_TENSOR_DATA_TYPE_FLOAT16, value) : value;
}

static inline unsigned precision_of(const struct formula_reals *of)
{
    return formula_precision(of, of->type);
}

/* Returns true if, in some order of the elements, the fold may round in a floating-point format of so many bits: 11 are
 * those of FLOAT16, 24 of FLOAT32. A sum is exact if the sum of absolute values fits, since no partial sum needs more
 * bits. */
static inline bool formula_is_inexact(const struct formula_fold *fold, double bits)
{
    unsigned type = bits <= 11 ? DML_TENSOR_DATA_TYPE_FLOAT16 : DML_TENSOR_DATA_TYPE_FLOAT32;
    double peak = fold->parts[FOLD_PEAK], least = real_smallest_normal(type);
    if (fold->parts[FOLD_COUNT] - fold->parts[FOLD_NANS] - fold->parts[FOLD_ZEROS] - fold->parts[FOLD_INFINITIES] == 0)
        return false;
    if (!(peak <= real_largest(type)))
        return true;
    if (fold->product)
        return fold->parts[FOLD_ZEROS] == 0 && (fold->width > bits || fold->parts[FOLD_DIP] < least);
    return !(fold->parts[FOLD_MAGNITUDE] <= ldexp(1, fold->unit + (int)bits)) || ldexp(1, fold->unit) < least * 0x1p-10;
}

/* Evaluates a node of the operation `op` at operands, which are only read if the operation has them. It is inlined
 * where formulas are evaluated: that is a large part of a run. */
static inline __attribute__((always_inline)) double evaluate_real_of(enum formula_op op,
                                                                     const struct formula_node *node,
                                                                     const struct formula_reals *of, const double *a,
                                                                     const double *b, const double *c)
{
    switch (op) {
    case FORMULA_CONST:
        return node->value;
    case FORMULA_ELEMENT:
    case FORMULA_OUTPUT:
        return of->elements[node->field];
    case FORMULA_SPACING_OF:
        return spacing_in(formula_precision(of, of->types[node->field]), *a);
    case FORMULA_LEAST_OF:
        return of->least ? of->least[node->field] : (double)NAN;
    case FORMULA_GREATEST_OF:
        return of->greatest ? of->greatest[node->field] : (double)NAN;
    case FORMULA_MEMBER:
        return of->members[node->field];
    case FORMULA_NUMBER:
        return of->number;
    case FORMULA_COORDINATE:
        return of->coordinates[(int)node->value - 1];
    case FORMULA_ATTRIBUTE:
        return of->attributes[node->field];
    case FORMULA_CAST:
        return cast(of->type, of->attributes[node->field]);
    case FORMULA_BIAS:
        return of->biases[node->field];
    case FORMULA_TRUNCATED:
        return trunc(of->attributes[node->field]);
    case FORMULA_FLOORED:
        return floor(of->attributes[node->field]);
    case FORMULA_IS_FLOAT:
        return (double)(of->floats >> node->field & 1);
    case FORMULA_ENTRY:
        return formula_entry(of, node->field, *a);
    case FORMULA_NESTED:
        return formula_nested(of, node->field, (int)node->value, *a);
    case FORMULA_PRESENT:
        return (double)(of->present >> node->field & 1);
    case FORMULA_RESULT:
        return of->result;
    case FORMULA_TERM:
        return of->terms[(int)node->value];
    case FORMULA_FOLD:
        return of->folds[node->field].parts[(int)node->value];
    case FORMULA_ELSEWHERE:
        return of->others[node->field].parts[(int)node->value];
    case FORMULA_INEXACT:
        return formula_is_inexact(&of->folds[node->field], *a);
    case FORMULA_ROUNDOFF:
        return roundoff_in(precision_of(of));
    case FORMULA_SPACING:
        return spacing_in(precision_of(of), *a);
    case FORMULA_LARGEST:
        return formula_largest_of(precision_of(of));
    case FORMULA_LOWEST:
        return formula_lowest_of(precision_of(of));
    case FORMULA_LEAST:
        return real_smallest_normal(precision_of(of));
    case FORMULA_WITHIN:
        return of->shift == 0 ? *a : *a + of->shift * *b; /* a + 0 * infinity would be NaN */
    case FORMULA_ADD:
        return *a + *b;
    case FORMULA_SUB:
        return *a - *b;
    case FORMULA_MUL:
        return *a * *b;
    case FORMULA_DIV:
        return *a / *b;
    case FORMULA_NEG:
        return -*a;
    case FORMULA_ABS:
        return fabs(*a);
    case FORMULA_MIN:
        return fmin(*a, *b);
    case FORMULA_MAX:
        return fmax(*a, *b);
    case FORMULA_POW:
        return pow(*a, *b);
    case FORMULA_LT:
        return *a < *b;
    case FORMULA_LE:
        return *a <= *b;
    case FORMULA_EQ:
        return *a == *b;
    case FORMULA_NE:
        return *a != *b;
    case FORMULA_AND:
        return *a != 0 && *b != 0;
    case FORMULA_OR:
        return *a != 0 || *b != 0;
    case FORMULA_NOT:
        return *a == 0;
    case FORMULA_IF:
        return *a != 0 ? *b : *c;
    case FORMULA_IS_NAN:
        return isnan(*a);
    case FORMULA_IS_INF:
        return isinf(*a) != 0;
    case FORMULA_FLOOR:
        return floor(*a);
    case FORMULA_CEIL:
        return ceil(*a);
    case FORMULA_TRUNC:
        return trunc(*a);
    case FORMULA_ROUND_EVEN:
        return copysign(round_even(*a), *a);
    case FORMULA_ROUND_AWAY:
        return round(*a);
    case FORMULA_SQRT:
        return sqrt(*a);
    case FORMULA_EXP:
        return exp(*a);
    case FORMULA_LOG:
        return log(*a);
    case FORMULA_SIN:
        return sin(*a);
    case FORMULA_COS:
        return cos(*a);
    case FORMULA_TAN:
        return tan(*a);
    case FORMULA_ASIN:
        return asin(*a);
    case FORMULA_ACOS:
        return acos(*a);
    case FORMULA_ATAN:
        return atan(*a);
    case FORMULA_ATAN2:
        return atan2(*a, *b);
    case FORMULA_SINH:
        return sinh(*a);
    case FORMULA_COSH:
        return cosh(*a);
    case FORMULA_TANH:
        return tanh(*a);
    case FORMULA_ASINH:
        return asinh(*a);
    case FORMULA_ACOSH:
        return acosh(*a);
    case FORMULA_ATANH:
        return atanh(*a);
    case FORMULA_ERF:
        return erf(*a);
    case FORMULA_EXPM1:
        return expm1(*a);
    case FORMULA_LOG1P:
        return log1p(*a);
    default: /* operations on integers only: a spec with such a formula does not load */
        return (double)NAN;
    }
}

#endif
