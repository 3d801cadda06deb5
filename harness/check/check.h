/* check.h: checks an operator description against the rules of its spec. */
#ifndef CHECK_CHECK_H
#define CHECK_CHECK_H

#include "harness/spec/spec.h"

/* UNDEFINED means that an expression has no value, such as a size past the last dimension. */
enum rule_result { HOLDS, BROKEN, UNDEFINED };

/* Check an atom. `table` is an index in spec.levels, -1 before the operator was introduced. An atom whose condition
 * (`when`) does not hold HOLDS itself. `element` is the current element of arrays. */
enum rule_result atom_check_of(const struct spec *spec, int atom, const struct opdesc *desc, int table, int element);

static inline enum rule_result atom_check(const struct spec *spec, int atom, const struct opdesc *desc, int table)
{
    return atom_check_of(spec, atom, desc, table, 0);
}

/* Return BROKEN if an atom is broken, else UNDEFINED if one is undefined, else HOLDS. A rule that does not apply at the
 * level HOLDS. conditions_check() takes any rule-like list of atoms, and the index of a table. */
enum rule_result conditions_check(const struct spec *spec, const struct rule *rule, const struct opdesc *desc,
                                  int table);
enum rule_result rule_check(const struct spec *spec, int rule, const struct opdesc *desc, DML_FEATURE_LEVEL level);

/* Checks every rule at a level. Returns the number of broken rules: 0 for a legal description. Stores the indices of
 * the first `max` broken rules in `broken`, which may be null. */
int rules_check(const struct spec *spec, const struct opdesc *desc, DML_FEATURE_LEVEL level, int *broken, int max);

#endif
