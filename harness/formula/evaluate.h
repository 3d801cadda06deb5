/* evaluate.h: evaluates a formula for one element of an output, in real numbers or in integers. */
#ifndef FORMULA_EVALUATE_H
#define FORMULA_EVALUATE_H

#include "harness/spec/formula.h"
#include "harness/spec/opdesc.h"

typedef __int128 formula_integer;

struct formula_fold {
    double parts[FOLD_PARTS];
    bool product;
    int unit;  /* of a sum: all elements are multiples of 2^unit */
    int width; /* of a product: it has at most so many significant bits */
};

/* The operands of one element. The caller sets those that its formulas use. */
struct formula_reals {
    unsigned type;                       /* of the output: its DML_TENSOR_DATA_TYPE */
    double elements[OPDESC_MAX_TENSORS]; /* by item; 0 of tensors that are absent */
    uint8_t types[OPDESC_MAX_TENSORS];   /* by item */
    const double *least, *greatest;      /* by item; null: no formula names them */
    double attributes[OPDESC_MAX_FIELDS];
    double members[OPDESC_NESTED_FIELDS]; /* of the fused activation */
    double number;
    double coordinates[OPDESC_MAX_DIMENSIONS]; /* of the element, from the last dimension on */
    double biases[OPDESC_MAX_FIELDS];          /* of a DML_SCALE_BIAS, whose scale is in `attributes` */
    uint64_t present;                          /* bit n: field n is not a null pointer */
    uint64_t floats;                           /* bit n: field n is a tensor of a floating-point type */
    double result;                             /* in tolerances */
    double terms[FORMULA_MAX_TERMS];
    struct formula_fold folds[FORMULA_MAX_FOLDS];
    struct formula_fold others[FORMULA_MAX_OTHERS]; /* in a fold: folds at the places that its step leads to */
    double shift;                                   /* from -1 to 1: where WITHIN is between a - b and a + b */
    uint64_t
        real_attributes; /* bit n: attribute n is a real number: a FLOAT, a DML_SCALE_BIAS, a scalar of such a type */
    const struct opdesc *desc; /* whose arrays of FLOATs formulas name; null: they name none */
    bool attributes_halved;    /* attributes, and entries of these, are rounded to FLOAT16 */
    bool half; /* FLOAT32 is no more precise than FLOAT16 and has its range: for all operations but CAST */
};

struct formula_whole_fold {
    bool defined;
    formula_integer value, count;
};

struct formula_integers {
    unsigned type; /* as above */
    formula_integer elements[OPDESC_MAX_TENSORS], attributes[OPDESC_MAX_FIELDS], biases[OPDESC_MAX_FIELDS], number;
    formula_integer coordinates[OPDESC_MAX_DIMENSIONS];
    uint64_t nans;      /* bit n: attribute n is a NaN */
    uint64_t negatives; /* bit n: attribute n, a FLOAT, is below 0 */
    uint64_t fractions; /* bit n: attribute n, or its scale or bias, is a NaN or was not an integer */
    uint64_t present, floats;
    struct formula_whole_fold folds[FORMULA_MAX_FOLDS], others[FORMULA_MAX_OTHERS];
};

/* Product of integers. What is beyond 2^100 keeps its sign and its low 64 bits, as powers do: it is in no type's range,
 * and wraps as it should. */
formula_integer formula_product(formula_integer a, formula_integer b);

/* The type that stands for `type` in the operations: FLOAT16 for FLOAT32 if `half`. */
unsigned formula_precision(const struct formula_reals *of, unsigned type);

/* The value in real numbers. */
double formula_real(const struct formula *formula, const struct formula_reals *of);

/* The value in integers. False: it is undefined (a division by 0, a power or a shift out of range, an attribute with a
 * fraction), or the formula has an operation of real numbers only. */
bool formula_whole(const struct formula *formula, const struct formula_integers *of, formula_integer *out);

/* The values that the formula takes while WITHIN takes each of its values: one range for each piece on which no
 * condition changes, at most FORMULA_MAX_PIECES. Without WITHIN, one range of one value. */
enum { FORMULA_MAX_PIECES = 4 };
struct formula_image {
    int count;
    struct {
        double low, high; /* NaN, both of them: the value is a NaN */
    } pieces[FORMULA_MAX_PIECES];
};
void formula_image(const struct formula *formula, const struct formula_reals *of, struct formula_image *out);

#endif
