/* situation.h: the situations of a spec: what it takes for a case to be in one, as a predicate and as a request. */
#ifndef CASE_SITUATION_H
#define CASE_SITUATION_H

#include "harness/case/testcase.h"

/* Returns true if the case is in the situation. Cases that do not run, or must be rejected, are in none. */
bool situation_holds(const struct spec_situation *situation, const struct testcase *c);

/* Adds the conditions and strides of the situation to a request. */
void situation_request(const struct spec_situation *situation, struct solve_request *request);

/* Sets the attributes whose values the situation names. */
void situation_set_values(const struct spec *spec, const struct spec_situation *situation, struct opdesc *desc);

#endif
