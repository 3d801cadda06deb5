/* result.h: what a spec says of the elements of one output: their formula, their tolerance, and where other values are
 * right, too. */
#ifndef SPEC_RESULT_H
#define SPEC_RESULT_H

#include "harness/base/datatype.h"
#include "harness/spec/formula.h"

enum { RESULT_MAX_ALTERNATIVES = 4, RESULT_MAX_CHOICES = 12 };

/* How far a device may be from the exact result, as absolute errors. No formula: not at all, after rounding. */
struct tolerance {
    struct formula soft; /* beyond it: a warning */
    struct formula must; /* beyond it: wrong */
};

/* Where the documents leave a choice: for the elements for which `when` is not 0. */
struct spec_choice {
    int rule; /* the behaviour that says so */
    struct formula when;
    bool soft;     /* alternatives get a warning; otherwise they are as right as the formula */
    bool anything; /* every value is right */
    int count;
    struct {
        const char *outcome; /* "propagated" */
        struct formula value;
    } alternatives[RESULT_MAX_ALTERNATIVES];
};

/* What an integer result is that its type cannot hold. */
enum result_overflow {
    OVERFLOW_BY_WIDTH, /* modulo 2^width; with 8 and 16 bits, saturated is right, too */
    OVERFLOW_WRAPS,    /* modulo 2^width, always */
    OVERFLOW_OPEN      /* any value */
};

/* A fold of elements to one number: of as many as a loop over `sizes` visits. Places in the loop are steps, places in
 * the output places; expr.h has both as lists. An element outside of its tensor does not take part, and neither does a
 * step at which what must divide exactly does not, nor one that leads to no place of the output. */
enum fold_kind {
    FOLD_SUM,
    FOLD_PRODUCT,
    FOLD_MIN, /* of numbers; a NaN if all are */
    FOLD_MAX,
    FOLD_PLACE_OF_MIN, /* the row-major number of the step with the least number */
    FOLD_PLACE_OF_MAX,
    FOLD_KINDS
};

enum { FOLD_MAX_TENSORS = 3 };

struct spec_fold {
    enum fold_kind kind;
    bool signed_zeros; /* -0 is below +0 */
    int16_t sizes;     /* list node: of the loop */
    int16_t last;      /* number node: of equal ones the last if it is not 0; -1: the first */
    int16_t divided;   /* the EXPR_DIVIDED that coordinates follow from; -1: none */
    int tensor_count;
    struct {
        uint8_t item; /* of an input */
        int16_t at;   /* list node: the coordinates of its element */
    } tensors[FOLD_MAX_TENSORS];
    int other_count;
    struct {
        uint8_t fold; /* a fold before this one, which is the same at any place with the same elements */
        int16_t at;   /* list node: the coordinates of the output's element that it is of, at a step */
    } others[FORMULA_MAX_OTHERS];
    struct formula value; /* of each; other inputs are at the output's coordinates; folds before this one are known */
};

/* Where the elements of an input lie in ordinary cases: low <= x <= high. */
struct spec_domain {
    bool given;
    double low, high; /* finite */
};

/* An output has one result; or, if the formula depends on a fused activation or on an enumeration, several, of which a
 * description has one. */
struct spec_result {
    int field;           /* the output */
    int by;              /* the field with the fused activation; -1: none */
    uint32_t activation; /* the DML_OPERATOR_TYPE of that; 0: the field is a null pointer */
    int chosen_by;       /* the enumeration whose constants this result is for; -1: all */
    uint32_t chosen;     /* bit n: for constant n */
    struct spec_fold folds[FORMULA_MAX_FOLDS];
    int fold_count;
    struct spec_domain domain; /* of all inputs, instead of their own */
    struct formula value;
    bool bits;         /* operands and result are bit patterns, whatever their types */
    bool signed_zeros; /* a zero with the wrong sign gets a warning; otherwise either zero is right */
    enum result_overflow overflow;
    struct tolerance tolerances[DATATYPE_COUNT]; /* by the output's type */
    struct spec_choice choices[RESULT_MAX_CHOICES];
    int choice_count;
};

#endif
