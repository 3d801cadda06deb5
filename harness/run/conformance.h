/* conformance.h: finds the state of each documented operator at each feature level from a run. View `conformance` of
 * the database does the same. */
#ifndef RUN_CONFORMANCE_H
#define RUN_CONFORMANCE_H

#include "harness/run/record.h"

#include <stdio.h>

/* The state of an operator at a level, by its cases of all levels up to that one. A failure that an expectation file
 * lists counts as a failure. */
enum conformance_state {
    CONFORMANCE_NO_CASES, /* the operator has no case that applies to the device */
    CONFORMANCE_MISSING,  /* all cases are unsupported */
    CONFORMANCE_PARTIAL,  /* no case failed; some are unsupported */
    CONFORMANCE_FAILING,  /* some cases failed, are flaky, or have not been run */
    CONFORMANCE_COMPLETE,
    CONFORMANCE_STATES
};

/* "without cases", "missing", "partly supported", "failing", "complete". */
const char *conformance_name(enum conformance_state state);

/* The documented operators. A zeroed one is empty. */
struct conformance {
    struct conformance_operator {
        const char *name;
        DML_FEATURE_LEVEL since;
        uint8_t seen[SPEC_MAX_LEVELS]; /* per level: bit n for enum conformance_sign n */
    } * operators;                     /* by operator type; null: no record */
    int count, last;                   /* last: the operator of the last record */
    bool failed;                       /* out of memory: says nothing */
};

/* Adds a last record. */
void conformance_add(struct conformance *c, const struct record *record);
void conformance_free(struct conformance *c);

/* Returns the state of operators[op] at level_all[level]. An operator of a later level has no state. */
enum conformance_state conformance_of(const struct conformance *c, int op, int level);

/* Counts the operators that exist at a level, by state. */
void conformance_count(const struct conformance *c, int level, int counts[CONFORMANCE_STATES]);

/* Counts the operators that exist at a level. */
int conformance_operators(const struct conformance *c, int level);

/* Returns the index in level_all of the level that a device declares (0: none, the highest). */
int conformance_top(DML_FEATURE_LEVEL declared);

/* Returns the highest level up to `top` at which, and below which, every operator is complete; -1: none. */
int conformance_complete_up_to(const struct conformance *c, int top);

/* Prints the operators in each state at a level, at most `names` of a state by name: "6 of 7 operators complete;
 * 1 failing: GATHER". */
void conformance_print_level(const struct conformance *c, int level, int names, FILE *out);

/* Prints the statement for a person: one line after `indent`. It has the level up to which all operators are complete,
 * and the names of a few operators that are not complete at the level that the device declares (0: the highest). Prints
 * nothing if no operator was tried. */
void conformance_print(const struct conformance *c, DML_FEATURE_LEVEL declared, const char *indent, FILE *out);

/* Prints the statement as a JSON array: an object for each level up to the one that the device declares. */
void conformance_print_json(const struct conformance *c, DML_FEATURE_LEVEL declared, FILE *out);

#endif
