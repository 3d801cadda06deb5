/* formula.h: what one element of an output is: an expression over the elements of the inputs at the same coordinates
 * and the attributes. Tolerances and the conditions of behaviours are formulas, too; those of tolerances may name the
 * result.
 *
 * A formula is evaluated in real numbers (FLOAT64), or, if all of its operands are integers, in integers of 128 bits.
 * A comparison is 1 or 0 in both. specs/README.md lists the words that make formulas. */
#ifndef SPEC_FORMULA_H
#define SPEC_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

enum formula_op {
    /* operands */
    FORMULA_CONST,       /* node.value */
    FORMULA_ELEMENT,     /* the element of the input that is item node.field */
    FORMULA_OUTPUT,      /* the element of the output that is item node.field, as the device wrote it */
    FORMULA_SPACING_OF,  /* one ULP, around a, of the type of the tensor that is item node.field */
    FORMULA_LEAST_OF,    /* the least element of the whole input that is item node.field; a NaN if one is */
    FORMULA_GREATEST_OF, /* the greatest one */
    FORMULA_MEMBER,      /* member node.field of the fused activation */
    FORMULA_ATTRIBUTE,   /* the attribute node.field; of a DML_SCALE_BIAS the scale */
    FORMULA_BIAS,        /* the bias of the DML_SCALE_BIAS node.field */
    FORMULA_CAST,        /* the attribute node.field in the output's type: an integer truncates and saturates */
    FORMULA_TRUNCATED,   /* the attribute node.field without its fraction; of integers, a NaN has no value */
    FORMULA_FLOORED,     /* the same rounded down */
    FORMULA_IS_FLOAT,    /* 1 if the type of the tensor node.field is floating-point */
    FORMULA_ENTRY,       /* entry a, from 0 on, of the array of FLOATs node.field; a NaN if there is none */
    FORMULA_PRESENT,     /* 1 if the field node.field is not a null pointer */
    FORMULA_NUMBER,      /* the number of the element in the output, row-major, from 0 on */
    FORMULA_COORDINATE,  /* its coordinate in dimension node.value, counted from the last one, which is 1 */
    FORMULA_RESULT,      /* the exact result; in tolerances */
    FORMULA_TERM,        /* what the oracle says of the result besides its value: term number node.value */
    FORMULA_ROUNDOFF,    /* the unit roundoff of the output's type; of an integer type 0 */
    FORMULA_FOLD,        /* part node.value, an enum fold_part, of fold node.field of the result */
    FORMULA_ELSEWHERE,   /* in a fold: part node.value of the fold that is number node.field of its others */
    FORMULA_INEXACT,     /* 1 if some order of the elements of fold node.field may round with a bits of precision */
    FORMULA_SPACING,     /* one ULP of the output's type around a; of an integer type 1 */
    FORMULA_LARGEST,     /* the largest finite number of the output's type */
    FORMULA_LOWEST,      /* the lowest one */
    FORMULA_LEAST,       /* its smallest normal number */
    FORMULA_WITHIN,      /* a, which a device may miss by b: rounding inside of the formula. In integers: a */
    /* arithmetic */
    FORMULA_ADD,
    FORMULA_SUB,
    FORMULA_MUL,
    FORMULA_DIV, /* of integers: truncated; undefined for b = 0 */
    FORMULA_NEG,
    FORMULA_ABS,
    FORMULA_MIN, /* the other operand if one is a NaN */
    FORMULA_MAX,
    FORMULA_POW, /* of integers: b from 0 on; beyond 2^100 with its sign and its low 64 bits */
    /* conditions */
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
    /* of real numbers */
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
    /* of integers */
    FORMULA_BIT_AND,
    FORMULA_BIT_OR,
    FORMULA_BIT_XOR,
    FORMULA_SHIFT_LEFT,
    FORMULA_SHIFT_RIGHT,
    FORMULA_BIT_COUNT,
    FORMULA_WRAP, /* a modulo 2^width of the output's type, as a number of that type */
    FORMULA_OPS
};

/* The word of each operation in a spec, and its number of operands. */
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

enum { FORMULA_MAX_NODES = 256, FORMULA_MAX_TERMS = 4, FORMULA_MAX_FOLDS = 16, FORMULA_MAX_OTHERS = 3 };

/* What is known of a fold of many elements. All but the value and the count are numbers for bounds. */
enum fold_part {
    FOLD_VALUE,
    FOLD_COUNT,     /* how many elements took part */
    FOLD_MAGNITUDE, /* of a sum: the sum of what they are without their signs; of a product: it without its sign */
    FOLD_PEAK,      /* what no partial result exceeds, whatever the order; infinities and NaNs do not count */
    FOLD_DIP,       /* of a product: what no partial one falls below, whatever the order; zeros do not count */
    FOLD_NANS,      /* how many are NaNs, zeros or infinities */
    FOLD_ZEROS,
    FOLD_INFINITIES,
    FOLD_FIRST_NAN, /* the row-major number of the first and of the last NaN among the elements */
    FOLD_LAST_NAN,
    FOLD_OWN,   /* the row-major number of the step at the coordinates of the output's element; -1: none */
    FOLD_STEPS, /* how many steps the loop has; 0 where a choice of single elements is looked for */
    FOLD_PARTS
};

/* The last node is the value. No nodes: there is no formula. */
struct formula {
    const struct formula_node *nodes;
    int count;
    const char *text; /* for a person: "sqrt(x)" */
};

#endif
