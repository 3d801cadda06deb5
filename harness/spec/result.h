/* result.h: the part of a spec about the elements of one output: their formula, their tolerance, and the choices that
 * the documents leave. */
#ifndef SPEC_RESULT_H
#define SPEC_RESULT_H

#include "harness/base/datatype.h"
#include "harness/spec/formula.h"

enum { RESULT_MAX_ALTERNATIVES = 4, RESULT_MAX_CHOICES = 12, RESULT_MAX_NAMED = 12 };

/* The largest absolute errors that a device may have. Without a formula, the device must give the exact result,
 * rounded. */
struct tolerance {
    struct formula soft; /* a larger error is a warning */
    struct formula must; /* a larger error is wrong */
};

/* A choice that the documents leave for the elements for which `when` is not 0. */
struct spec_choice {
    int rule; /* the behaviour that leaves the choice */
    struct formula when;
    bool soft;     /* alternatives get a warning; otherwise they are as right as the formula */
    bool anything; /* every value is right */
    int count;
    struct {
        const char *outcome; /* "propagated" */
        struct formula value;
    } alternatives[RESULT_MAX_ALTERNATIVES];
};

/* The result if the exact integer exceeds its type. */
enum result_overflow {
    OVERFLOW_BY_WIDTH, /* modulo 2^width; with 8 and 16 bits a saturated result is right, too */
    OVERFLOW_WRAPS,    /* modulo 2^width for every type */
    OVERFLOW_OPEN      /* any value */
};

/* A fold of many elements to one number. A loop over `sizes` visits the elements. Steps are the coordinates in the
 * loop, places the coordinates in the output; expr.h has both as lists. A step takes no part in the fold if its element
 * lies outside of its tensor, if an EXPR_DIVIDED does not divide exactly, if an EXPR_GATHERED finds no row of
 * whole numbers, or if the step leads to no place of the output. */
enum fold_kind {
    FOLD_SUM,
    FOLD_PRODUCT,
    FOLD_MIN, /* MIN and MAX ignore NaNs, but return NaN if all elements are */
    FOLD_MAX,
    FOLD_PLACE_OF_MIN, /* the row-major number of the step with the least number */
    FOLD_PLACE_OF_MAX,
    FOLD_KINDS
};

enum { FOLD_MAX_TENSORS = 5 };

struct spec_fold {
    enum fold_kind kind;
    bool signed_zeros; /* MIN and MAX put -0 below +0 */
    int16_t sizes;     /* list node: the sizes of the loop */
    int16_t last;      /* number node: if it is not 0, the last of equal elements counts; -1: the first */
    int16_t found;     /* the EXPR_DIVIDED or EXPR_GATHERED that coordinates depend on; -1: none */
    int tensor_count;
    struct {
        uint8_t item; /* the tensor item of an input */
        int16_t at;   /* list node: the coordinates of its element */
    } tensors[FOLD_MAX_TENSORS];
    int other_count;
    struct {
        uint8_t fold; /* an earlier fold, which has the same value at places with the same elements */
        int16_t at;   /* list node: the coordinates of the output's element whose fold this is, at a step */
    } others[FORMULA_MAX_OTHERS];
    struct formula value; /* formula of each element; it may use earlier folds, and other inputs at the output's
                           * coordinates */
};

/* The range of ordinary elements of an input, or of an ordinary attribute: low <= x <= high. */
struct spec_domain {
    bool given, has_usual;
    bool nonzero;     /* no ordinary integer is 0, such as a divisor, also without a range */
    double low, high; /* both are finite */
    double usual;     /* the value that half of the attributes have */
};

/* A formula that the spec gives a name, "norm", since others are made of it. Names are for people. */
struct spec_named {
    const char *name;
    struct formula formula;
};

/* The result of an output. An output has several results if the formula depends on a fused activation or on an
 * enumeration; then one of them applies to a description. */
struct spec_result {
    int field;           /* the output */
    int by;              /* the field with the fused activation; -1: none */
    uint32_t activation; /* the DML_OPERATOR_TYPE of that activation; 0: the field is a null pointer */
    int chosen_by;       /* the enumeration whose constants this result is for; -1: all */
    uint32_t chosen;     /* bit n: the result is for constant n */
    struct spec_fold folds[FORMULA_MAX_FOLDS];
    int fold_count;
    struct spec_domain domain; /* the domain of all inputs, instead of their own */
    struct formula value;
    bool bits;         /* operands and result are bit patterns, whatever their types */
    bool signed_zeros; /* a zero with the wrong sign gets a warning; otherwise either zero is right */
    enum result_overflow overflow;
    struct tolerance tolerances[DATATYPE_COUNT]; /* by the output's type */
    struct spec_choice choices[RESULT_MAX_CHOICES];
    int choice_count;
    struct spec_named named[RESULT_MAX_NAMED]; /* each name once */
    int named_count;
};

/* A tensor of FLOAT64 that other formulas name, and that is computed before the outputs. Its elements are computed in
 * row-major order, so its formula may have folds of its own earlier elements. */
struct spec_stage {
    const char *name;
    int16_t sizes; /* list node */
    struct spec_result result;
};

#endif
