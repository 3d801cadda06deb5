/* fill_text.h: the contents of a case's tensors in words: "1, -2.5, nan, …", row-major. */
#ifndef CASE_FILL_TEXT_H
#define CASE_FILL_TEXT_H

#include "harness/case/testcase.h"

#include <stdio.h>

/* Prints the first `max` elements of an input as fill_input() makes it from the case's seed. The case must be one that
 * may run. False: out of memory. */
bool fill_text_input(FILE *out, const struct testcase *c, uint64_t seed, int item, uint64_t max);

/* Prints the first `max` elements that the case gives for a tensor, which must have some. */
void fill_text_literal(FILE *out, const struct testcase *c, int item, uint64_t max);

#endif
