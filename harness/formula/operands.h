/* operands.h: what the formulas of an operator see of a description. */
#ifndef FORMULA_OPERANDS_H
#define FORMULA_OPERANDS_H

#include "harness/formula/evaluate.h"
#include "harness/spec/spec.h"

/* Sets what formulas of an output of the data type `type` see: all but elements, the result and its terms. Of a number
 * with a fraction, integers get the whole part, at most 2^100 large. A scalar has the type that its field of data types
 * says; if that is a floating-point type, integers get its bits. */
void operands_of(const struct spec *spec, const struct opdesc *desc, unsigned type, struct formula_reals *reals,
                 struct formula_integers *integers);

#endif
