/* rules.h: devices that ignore one rule of the specs, or take its limit too low.
 *
 *     ignore=OPERATOR/RULE[/N]   what breaks RULE and nothing else is accepted
 *     reject=OPERATOR/RULE[/N]   what is legal and at the limit of RULE is rejected
 *
 * N is the number of a part of the rule, 1 the first: the rule then is ignored, or at its limit, in that part alone. A
 * part is at its limit where
 *
 *     the operator is there from a level on    the device declares just that level
 *     types, dimension counts of a table       the type is the last of its column, the count the highest
 *     a number from low to high                it equals the higher bound, or the lower one where there is no other
 *     each entry of a list, likewise           an entry equals such a bound
 *     lists that must be equal                 they have an entry above 1
 *     a number of a set                        it equals the last of the set, or the lowest power of two
 *
 * and the condition under which it applies, if there is one, holds. */
#ifndef RULES_H
#define RULES_H

#include "device/device.h"

#include <stdbool.h>
#include <stdio.h>

struct rules;

/* Loads the specs and finds the rule. Null, with a sentence in `message`: there is none. */
struct rules *rules_open(bool ignore, const char *name, char *message, size_t size);
void rules_close(struct rules *rules);

/* The answer to create_operator(): `right`, or E_INVALIDARG, or S_FALSE for what is accepted with nothing behind it. */
HRESULT rules_answer(const struct rules *rules, DML_FEATURE_LEVEL level, const DML_OPERATOR_DESC *desc, HRESULT right);

/* Writes all such devices, in the columns of mutants_list(). False: the specs cannot be loaded. */
bool rules_list(FILE *out, char *message, size_t size);

#endif
