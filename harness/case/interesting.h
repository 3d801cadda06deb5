/* interesting.h: the values of an input at which implementations go wrong: values of its data type, and values that the
 * operator's attributes, domains and other types make special. */
#ifndef CASE_INTERESTING_H
#define CASE_INTERESTING_H

#include "harness/case/testcase.h"

#include <stdint.h>

enum { INTERESTING_MAX = 96 };

/* Bit patterns, all different. At least one. */
struct interesting {
    unsigned type; /* DML_TENSOR_DATA_TYPE */
    int count;
    uint64_t bits[INTERESTING_MAX];
};

/* Lists the values for input `item`: zeros, infinities, NaNs, denormals and the limits of its type; small integers,
 * halves and powers of two; the values of domain, attributes and conditions, and their neighbours; and, if an output
 * has another type, its limits with the values around them, and the values that it rounds. */
void interesting_list(const struct testcase *c, int item, struct interesting *out);

#endif
