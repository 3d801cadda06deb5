/* ordinary.h: an ordinary, small case of an operator, for callers without a plan. */
#ifndef CASE_ORDINARY_H
#define CASE_ORDINARY_H

#include "harness/case/testcase.h"
#include "harness/load/load.h"

/* Draws a legal description from `seed`, with a few elements for each tensor, and inputs with ordinary contents, at the
 * table of a feature level. `c` gets `desc` as its description. False: none was found. */
bool ordinary_case(const struct spec_set *specs, int op, int table, uint64_t seed, struct testcase *c,
                   struct opdesc *desc);

#endif
