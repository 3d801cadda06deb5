/* result.h: what a spec says of the elements of one output: their formula, their tolerance, and where other values are
 * right, too. */
#ifndef SPEC_RESULT_H
#define SPEC_RESULT_H

#include "harness/base/datatype.h"
#include "harness/spec/formula.h"

enum { RESULT_MAX_ALTERNATIVES = 4, RESULT_MAX_CHOICES = 8 };

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

/* An output has one result; or, if the formula depends on a fused activation, one for each that there can be. */
struct spec_result {
    int field;           /* the output */
    int by;              /* the field with the fused activation; -1: none */
    uint32_t activation; /* the DML_OPERATOR_TYPE of that; 0: the field is a null pointer */
    struct formula value;
    bool bits;         /* operands and result are bit patterns, whatever their types */
    bool signed_zeros; /* a zero with the wrong sign gets a warning; otherwise either zero is right */
    enum result_overflow overflow;
    struct tolerance tolerances[DATATYPE_COUNT]; /* by the output's type */
    struct spec_choice choices[RESULT_MAX_CHOICES];
    int choice_count;
};

#endif
