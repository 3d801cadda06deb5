/* export_compare.h: the part of an exported C file that compares an output with the expected one: bit by bit, or, if
 * formulas judge it (trial/computed.h), with the ranges of values that are not wrong. */
#ifndef EXCHANGE_EXPORT_COMPARE_H
#define EXCHANGE_EXPORT_COMPARE_H

#include "harness/exchange/export.h"

#include <stdio.h>

/* The way in which the file compares an output. */
struct export_comparison {
    unsigned type;        /* of the numbers that its elements are: a DML_TENSOR_DATA_TYPE */
    uint64_t range_count; /* 0: nothing but the expected bits is right */
    bool depends;         /* the ranges hold only if the outputs that do not depend on others are as expected */
};

struct export_comparison export_comparison_of(const struct export *e, int item);

/* Prints the type of ranges, which export_comparison_data() needs, and the functions that calls need. */
void export_comparison_type(FILE *out);
void export_comparison_functions(FILE *out, const struct export_comparison comparisons[], int count);

/* Prints the ranges of the output `item`, whose name in C is `name`. */
void export_comparison_data(FILE *out, const struct export *e, int item, const char *name);

/* Prints the expression that compares the output, whose description is `buffer`_buffer: 1 if it is wrong. */
void export_comparison_call(FILE *out, const struct export *e, int item, const char *name, const char *buffer,
                            const struct export_comparison *comparison);

#endif
