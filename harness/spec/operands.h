/* operands.h: what the formulas of an operator see of a description. */
#ifndef SPEC_OPERANDS_H
#define SPEC_OPERANDS_H

#include "harness/spec/formula.h"
#include "harness/spec/spec.h"

/* Sets all but the elements of inputs, and what only tolerances see, for an output of the data type `type`. A NaN or an
 * attribute with a fraction has no value in integers. */
void operands_of(const struct spec *spec, const struct opdesc *desc, unsigned type, struct formula_reals *reals,
                 struct formula_integers *integers);

#endif
