/* ordered.h: conditions that one attribute is at most another (ATOM_ORDERED): two FLOATs, or two DML_SCALAR_UNIONs of one
 * data type. They are compared as numbers. A NaN breaks nothing, since it is above no number; without a type of at
 * least 8 bits, or with two, the condition is undefined. */
#ifndef SPEC_ORDERED_H
#define SPEC_ORDERED_H

#include "harness/spec/check.h"

/* The values of the condition's attributes. */
enum rule_result ordered_check(const struct spec *spec, const struct atom *atom, const struct opdesc *desc);

/* Whether both attributes are equal, as a description at the limit has them. */
bool ordered_equal(const struct spec *spec, const struct atom *atom, const struct opdesc *desc);

/* Makes both attributes equal, by setting the first; or exchanges them. */
void ordered_equalise(const struct spec *spec, const struct atom *atom, struct opdesc *desc);
void ordered_swap(const struct spec *spec, const struct atom *atom, struct opdesc *desc);

/* Sets the first attribute to the next number above the second or, if `second`, the second one to the next number below
 * the first. False: there is none. */
bool ordered_break(const struct spec *spec, const struct atom *atom, bool second, struct opdesc *desc);

#endif
