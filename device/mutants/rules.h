/* rules.h: rule mutants: devices that ignore one rule of the specs, or take its limit too low.
 *
 *     ignore=OPERATOR/RULE[/N]   accepts descriptions that break RULE, and no other rule
 *     reject=OPERATOR/RULE[/N]   rejects legal descriptions that are at the limit of RULE
 *     …,type=TYPE,rank=N,index=TYPE   does so only there: in a corner
 *
 * N numbers a part of the rule, from 1 on: then only that part is ignored, or only its limit counts. A part is at its
 * limit if its condition, if it has one, holds, and:
 *
 *     the part says                               it is at its limit if
 *     the operator exists from a level on         the device declares just that level
 *     types, dimension counts of a table          the type is the last of its column, the count the highest
 *     a number is between two bounds              it equals the upper bound, or the lower one without an upper one
 *     each entry of a list is between two bounds  an entry equals one of the bounds
 *     lists must be equal                         they have an entry above 1
 *     a number is in a set                        it equals the last of the set that the other rules allow, or the
 *                                                 lowest power of two */
#ifndef RULES_H
#define RULES_H

#include "device/device.h"

#include <stdbool.h>
#include <stdio.h>

struct rules;

/* Loads the specs and finds the rule `name`, as above; `ignore`: the device ignores it. Returns null, with a sentence
 * in `message`, if that fails. rules_close() frees the result; null is allowed. */
struct rules *rules_open(bool ignore, const char *name, char *message, size_t size);
void rules_close(struct rules *rules);

/* Narrows the mutant to a corner: `key` is "type" (the data type of the first tensor), "index" (that of the index
 * tensor) or "rank" (the DimensionCount of the first tensor). Returns false if the value is none. */
bool rules_narrow(struct rules *rules, const char *key, const char *value);

/* Returns the answer to create_operator(): `right`, E_INVALIDARG, or S_FALSE: the description is accepted, but no
 * operator is made. */
HRESULT rules_answer(const struct rules *rules, DML_FEATURE_LEVEL level, const DML_OPERATOR_DESC *desc, HRESULT right);

/* Writes a line for each rule mutant, and for some in corners, with the columns that mutants.c lists. Returns false,
 * with a sentence in `message`, if the specs cannot be loaded. */
bool rules_list(FILE *out, char *message, size_t size);

#endif
