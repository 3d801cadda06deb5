/* ordered.h: conditions that one attribute is at most another (ATOM_ORDERED): two FLOATs, or two DML_SCALAR_UNIONs of
 * one data type. They are compared as numbers. A NaN breaks nothing, since it is above no number; without a type of at
 * least 8 bits, or with two, the condition is undefined. */
#ifndef CHECK_ORDERED_H
#define CHECK_ORDERED_H

#include "harness/spec/spec.h"

/* Stores a number below 0, 0 or above 0, as the first attribute is below the second, equal or above; of a NaN below 0.
 * False: undefined. */
bool ordered_compare(const struct spec *spec, const struct atom *atom, const struct opdesc *desc, int *order);

/* Makes both attributes equal, by setting the first; or exchanges them. */
void ordered_equalise(const struct spec *spec, const struct atom *atom, struct opdesc *desc);
void ordered_swap(const struct spec *spec, const struct atom *atom, struct opdesc *desc);

/* Sets the first attribute to the next number above the second or, if `second`, the second one to the next number below
 * the first. False: there is none. */
bool ordered_break(const struct spec *spec, const struct atom *atom, bool second, struct opdesc *desc);

#endif
