/* causes_internal.h: types and functions that the files that group failures share. */
#ifndef RUN_CAUSES_INTERNAL_H
#define RUN_CAUSES_INTERNAL_H

#include "harness/run/causes.h"

/* One failure or warning. */
struct cause_item {
    size_t number; /* the number of its case */
    bool warning;
    enum cause cause;
    explanation_set explanations;
    uint16_t explanation;  /* enum explanation: the explanation that the judge took for the cause */
    uint64_t evidence;     /* wrong elements */
    size_t operator_index; /* index in causes.operators */
    size_t group;          /* its place among the groups, from 1 on; 0: no group explains it */
    char *name, *broken, *tensor, *message, *reproduce, *shared;
    char *key; /* items with equal keys form a group if no explanation does */
};

/* Items on their way into groups. */
struct grouping {
    struct causes *causes;
    bool warnings;
    bool *folded;                   /* per item: its group does not explain it */
    size_t *of;                     /* per item: its group, from 1 on; 0: none yet */
    size_t groups;                  /* the number of groups so far */
    enum explanation *explanations; /* per group; EXPLAIN_COUNT: none */
};

/* Fills in all members except `where` and `such`, from the items of group `number`. */
void causes_describe(const struct grouping *g, size_t number, struct cause_group *group);

/* The contents that the tensors of a case may have: bit n of a set is content n; causes_content_name() returns a few
 * words for it. */
enum { CAUSES_CONTENTS = 10 };
const char *causes_content_name(int content);

/* Finds the contents that a case has in any of its dispatches, by making its inputs. `seed` is the seed of the case.
 * False: the case is too large, or is never dispatched. */
bool causes_contents(const struct testcase *c, uint64_t seed, uint32_t *out);

/* All cases of a run, with their names taken apart. They must outlive it. Null: out of memory. */
struct cause_names;
struct cause_names *causes_names_new(struct cause_case *cases, size_t count);
void causes_names_free(struct cause_names *names);

/* Splits cases of one operator, given by number in the order of the run, that fail for no known reason: into those with
 * certain values of one property, of which nearly all cases fail, and others that have other values and seldom fail.
 * Two faults of an operator are told apart by this. Sets `apart` for the former. Returns their number; 0: nothing
 * separates the cases. */
size_t causes_split(const struct cause_names *names, const size_t *members, size_t count, bool *apart);

/* Fills in `where` and `such`: the smallest set of properties that all cases in the group have and few others. The
 * properties are those of case names and, as far as the cases are known, contents. `in` is true for the cases of the
 * group. */
void causes_separate(struct cause_group *group, const struct cause_names *names, const bool *in, uint64_t seed);

#endif
