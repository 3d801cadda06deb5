/* operands.h: the operands that the formulas of an operator get from a description. */
#ifndef FORMULA_OPERANDS_H
#define FORMULA_OPERANDS_H

#include "harness/formula/evaluate.h"
#include "harness/spec/spec.h"

/* Sets the operands for an output of the data type `type`, except elements, the result and its terms. A number with a
 * fraction becomes its whole part in integers, at most 2^100 in size. A scalar has the type in its field of data types;
 * if that is a floating-point type, integers get its bits. */
void operands_of(const struct spec *spec, const struct opdesc *desc, unsigned type, struct formula_reals *reals,
                 struct formula_integers *integers);

#endif
