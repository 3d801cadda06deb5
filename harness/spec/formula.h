/* formula.h: the formula of one element of an output: an expression over the elements of the inputs at the same
 * coordinates and the attributes. Tolerances and the conditions of behaviours are formulas, too; the formula of a
 * tolerance may name the result.
 *
 * A formula is evaluated in real numbers (FLOAT64), or, if all of its operands are integers, in integers of 128 bits. A
 * comparison is 1 or 0 in both. specs/README.md lists the words that make formulas. */
#ifndef SPEC_FORMULA_H
#define SPEC_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

enum formula_op {
    /* Operands. */
    FORMULA_CONST,       /* node.value */
    FORMULA_ELEMENT,     /* the element of the input that is item node.field */
    FORMULA_OUTPUT,      /* the element of the output that is item node.field, as the device wrote it */
    FORMULA_SPACING_OF,  /* one ULP, around a, of the type of the tensor that is item node.field */
    FORMULA_LEAST_OF,    /* the least element of the whole input that is item node.field; NaN if any element is NaN */
    FORMULA_GREATEST_OF, /* the greatest element of that input; NaN if any element is NaN */
    FORMULA_MEMBER,      /* member node.field of the fused activation */
    FORMULA_ATTRIBUTE,   /* the attribute node.field; if it is a DML_SCALE_BIAS, its scale */
    FORMULA_BIAS,        /* the bias of the DML_SCALE_BIAS node.field */
    FORMULA_CAST,        /* the attribute node.field in the output's type: an integer truncates and saturates */
    FORMULA_TRUNCATED,   /* the attribute node.field without its fraction; in integers, a NaN is undefined */
    FORMULA_FLOORED,     /* the attribute node.field rounded down; in integers, a NaN is undefined */
    FORMULA_IS_FLOAT,    /* 1 if the type of the tensor node.field is floating-point */
    FORMULA_ENTRY,       /* entry a, from 0 on, of the array of FLOATs node.field; NaN if there is none */
    FORMULA_NESTED,     /* of description a, from 0 on, in the array of operator descriptions node.field: the FLOAT that
                          * is member node.value; if that is below 0, its Type. NaN if there is none */
    FORMULA_PRESENT,    /* 1 if the field node.field is not a null pointer */
    FORMULA_NUMBER,     /* the row-major number of the output's element, from 0 on */
    FORMULA_COORDINATE, /* the coordinate of that element in dimension node.value; the last one is 1 */
    FORMULA_RESULT,     /* the exact result; only tolerances use it */
    FORMULA_TERM,       /* term number node.value, which the oracle gives beside the result */
    FORMULA_ROUNDOFF,   /* the unit roundoff of the output's type; 0 for an integer type */
    FORMULA_FOLD,       /* part node.value, an enum fold_part, of fold node.field of the result */
    FORMULA_ELSEWHERE,  /* in a fold: part node.value of the earlier fold that entry node.field of `others` names */
    FORMULA_INEXACT,    /* 1 if a sum of the elements of fold node.field, with a bits of precision, may round in some
                          * order */
    FORMULA_SPACING,    /* one ULP of the output's type around a; 1 for an integer type */
    FORMULA_LARGEST,    /* the largest finite number of the output's type */
    FORMULA_LOWEST,     /* the lowest finite number of the output's type */
    FORMULA_LEAST,      /* the smallest normal number of the output's type */
    FORMULA_WITHIN,     /* a; a device may miss it by b, since it rounds inside of the formula. In integers, only an
                         * outcome has this error */
    /* Arithmetic. */
    FORMULA_ADD,
    FORMULA_SUB,
    FORMULA_MUL,
    FORMULA_DIV, /* in integers: truncated, and undefined for b = 0 */
    FORMULA_NEG,
    FORMULA_ABS,
    FORMULA_MIN, /* MIN and MAX return the other operand if one is NaN */
    FORMULA_MAX,
    FORMULA_POW, /* in integers: b is at least 0; a result beyond 2^100 keeps its sign and its low 64 bits */
    /* Conditions. */
    FORMULA_LT,
    FORMULA_LE,
    FORMULA_EQ,
    FORMULA_NE,
    FORMULA_AND,
    FORMULA_OR,
    FORMULA_NOT,
    FORMULA_IF, /* b if a is not 0, otherwise c */
    FORMULA_IS_NAN,
    FORMULA_IS_INF,
    FORMULA_FLOOR,
    FORMULA_CEIL,
    FORMULA_TRUNC,
    FORMULA_ROUND_EVEN, /* to the nearest integer; halves to even, or away from 0 */
    FORMULA_ROUND_AWAY,
    /* Real numbers only. */
    FORMULA_SQRT,
    FORMULA_EXP,
    FORMULA_LOG,
    FORMULA_SIN,
    FORMULA_COS,
    FORMULA_TAN,
    FORMULA_ASIN,
    FORMULA_ACOS,
    FORMULA_ATAN,
    FORMULA_ATAN2,
    FORMULA_SINH,
    FORMULA_COSH,
    FORMULA_TANH,
    FORMULA_ASINH,
    FORMULA_ACOSH,
    FORMULA_ATANH,
    FORMULA_ERF,
    FORMULA_EXPM1,
    FORMULA_LOG1P,
    /* Integers only. */
    FORMULA_BIT_AND,
    FORMULA_BIT_OR,
    FORMULA_BIT_XOR,
    FORMULA_SHIFT_LEFT,
    FORMULA_SHIFT_RIGHT,
    FORMULA_BIT_COUNT,
    FORMULA_WRAP, /* a modulo 2^width of the output's type, as a number of that type */
    FORMULA_OPS
};

/* The word of each operation in a spec, its number of operands, and the numbers that it works on. */
extern const struct formula_traits {
    const char *word;
    int operands;
    bool of_reals, of_integers;
} formula_ops[FORMULA_OPS];

struct formula_node {
    uint8_t op;
    uint8_t field;
    int16_t a, b, c; /* operands: nodes before this one */
    double value;
};

enum { FORMULA_MAX_NODES = 768, FORMULA_MAX_TERMS = 4, FORMULA_MAX_FOLDS = 32, FORMULA_MAX_OTHERS = 3 };

/* The parts of a fold of many elements. All but the value and the count serve as bounds. */
enum fold_part {
    FOLD_VALUE,
    FOLD_COUNT,     /* number of elements that took part */
    FOLD_MAGNITUDE, /* sum: the sum of the elements' absolute values; product: its absolute value */
    FOLD_PEAK,      /* a bound that no partial result exceeds in any order; infinities and NaNs do not count */
    FOLD_DIP,       /* product: a bound that no partial product falls below in any order; zeros do not count */
    FOLD_NANS,      /* numbers of NaNs, zeros and infinities */
    FOLD_ZEROS,
    FOLD_INFINITIES,
    FOLD_FIRST_NAN, /* the row-major number of the first and of the last NaN among the elements */
    FOLD_LAST_NAN,
    FOLD_OWN,   /* the row-major number of the step at the coordinates of the output's element; -1: none */
    FOLD_STEPS, /* number of steps of the loop; 0 for a fold that looks for a choice of single elements */
    FOLD_PARTS
};

/* The last node is the value. Without nodes there is no formula. */
struct formula {
    const struct formula_node *nodes;
    int count;
    const char *text; /* for a person: "sqrt(x)" */
};

#endif
