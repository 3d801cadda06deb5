/* evaluate.h: evaluates a formula for one element of an output, in real numbers or in integers. */
#ifndef FORMULA_EVALUATE_H
#define FORMULA_EVALUATE_H

#include "harness/spec/formula.h"
#include "harness/spec/opdesc.h"

typedef __int128 formula_integer;

struct formula_fold {
    double parts[FOLD_PARTS];
    bool product;
    int unit;  /* sums: all elements are multiples of 2^unit */
    int width; /* products: the number of significant bits is at most this */
};

/* The operands of one element. The caller sets those that its formulas use. */
struct formula_reals {
    unsigned type;                       /* DML_TENSOR_DATA_TYPE of the output */
    double elements[OPDESC_MAX_TENSORS]; /* by item; 0 for an absent tensor */
    uint8_t types[OPDESC_MAX_TENSORS];   /* by item */
    const double *least, *greatest;      /* least and greatest elements by item; null: no formula names them */
    double attributes[OPDESC_MAX_FIELDS];
    double members[OPDESC_NESTED_FIELDS]; /* members of the fused activation */
    double number;
    double coordinates[OPDESC_MAX_DIMENSIONS]; /* coordinates of the element, from the last dimension on */
    double biases[OPDESC_MAX_FIELDS];          /* biases of DML_SCALE_BIAS; their scales are in `attributes` */
    uint64_t present;                          /* bit n: field n is not a null pointer */
    uint64_t floats;                           /* bit n: field n is a tensor of a floating-point type */
    double result;                             /* the exact result, for tolerances */
    double terms[FORMULA_MAX_TERMS];
    struct formula_fold folds[FORMULA_MAX_FOLDS];
    struct formula_fold others[FORMULA_MAX_OTHERS]; /* in a fold: the folds of the places that its step leads to */
    double shift;                                   /* from -1 to 1: the value of WITHIN between a - b and a + b */
    uint64_t
        real_attributes; /* bit n: attribute n is a real number: a FLOAT, a DML_SCALE_BIAS, a scalar of such a type */
    const struct opdesc *desc; /* description whose arrays of FLOATs formulas name; null: they name none */
    bool attributes_halved;    /* attributes, and entries of arrays, are rounded to FLOAT16 */
    bool half;                 /* FLOAT32 has only the precision and range of FLOAT16, for all operations but CAST */
    unsigned rounds;           /* the type to which each operation rounds, as a device's do; 0: none rounds */
};

struct formula_whole_fold {
    bool defined;
    formula_integer value, count;
};

struct formula_integers {
    unsigned type; /* DML_TENSOR_DATA_TYPE of the output */
    formula_integer elements[OPDESC_MAX_TENSORS], attributes[OPDESC_MAX_FIELDS], biases[OPDESC_MAX_FIELDS], number;
    formula_integer coordinates[OPDESC_MAX_DIMENSIONS];
    uint64_t nans;      /* bit n: attribute n is a NaN */
    uint64_t negatives; /* bit n: attribute n, a FLOAT, is below 0 */
    uint64_t fractions; /* bit n: attribute n, or its scale or bias, is a NaN or was not an integer */
    uint64_t present, floats;
    int shift; /* -1, 0 or 1: the value of WITHIN is a - b, a or a + b */
    struct formula_whole_fold folds[FORMULA_MAX_FOLDS], others[FORMULA_MAX_OTHERS];
};

/* Returns the product of integers. A product beyond 2^100 keeps its sign and its low 64 bits, as powers do: it is in
 * the range of no type, and wraps as it should. */
formula_integer formula_product(formula_integer a, formula_integer b);

/* Returns the type in whose precision operations on `type` work: FLOAT16 for FLOAT32 if `half`. */
unsigned formula_precision(const struct formula_reals *of, unsigned type);

/* Stores the values of the nodes from `from` to below `past`, in real numbers. Those of earlier nodes must be there. */
void formula_evaluate(const struct formula *formula, const struct formula_reals *of, int from, int past,
                      double values[FORMULA_MAX_NODES]);

/* Returns the value in real numbers. */
double formula_real(const struct formula *formula, const struct formula_reals *of);

/* Stores the value in integers. Returns false if it is undefined (a division by 0, a power or a shift out of range, an
 * attribute with a fraction), or the formula has an operation of real numbers only. */
bool formula_whole(const struct formula *formula, const struct formula_integers *of, formula_integer *out);

#endif
