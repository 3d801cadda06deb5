/* check.h: whether an operator description meets the rules of its spec. */
#ifndef SPEC_CHECK_H
#define SPEC_CHECK_H

#include "harness/spec/spec.h"

enum rule_result { HOLDS, BROKEN, UNDEFINED };

/* `table` is the index of the level's table in the spec, -1 where the operator is not there yet. */
enum rule_result atom_check(const struct spec *spec, int atom, const struct opdesc *desc, int table);

/* BROKEN if an atom is; a rule that does not apply at the level holds. */
enum rule_result rule_check(const struct spec *spec, int rule, const struct opdesc *desc, DML_FEATURE_LEVEL level);

/* Runs every rule at a level. `broken`, if not null, takes up to `max` indices of broken rules, in order. Returns how
 * many are broken: 0 for a legal description. */
int rules_check(const struct spec *spec, const struct opdesc *desc, DML_FEATURE_LEVEL level, int *broken, int max);

#endif
