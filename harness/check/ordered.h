/* ordered.h: conditions that one attribute is at most another (ATOM_ORDERED): two FLOATs, or two DML_SCALAR_UNIONs of
 * one data type. They are compared as numbers. A NaN breaks no condition, since it is above no number. The condition is
 * undefined if the types differ or have fewer than 8 bits. */
#ifndef CHECK_ORDERED_H
#define CHECK_ORDERED_H

#include "harness/spec/spec.h"

/* Stores a number below 0, 0 or above 0: the first attribute is below the second, equal or above. A NaN counts as
 * below. Returns false if the condition is undefined. */
bool ordered_compare(const struct spec *spec, const struct atom *atom, const struct opdesc *desc, int *order);

/* Makes both attributes equal, by setting the first one or by exchanging them. */
void ordered_equalise(const struct spec *spec, const struct atom *atom, struct opdesc *desc);
void ordered_swap(const struct spec *spec, const struct atom *atom, struct opdesc *desc);

/* Sets the first attribute to the next number above the second or, if `second`, the second one to the next number below
 * the first. Returns false if there is none. */
bool ordered_break(const struct spec *spec, const struct atom *atom, bool second, struct opdesc *desc);

#endif
