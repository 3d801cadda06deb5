/* plan_corner.h: violations of a rule spread by a covering array; for the plan_*.c files only. */
#ifndef CASE_PLAN_CORNER_H
#define CASE_PLAN_CORNER_H

#include "harness/solve/solve.h"

struct corner_row {
    int table; /* feature level: index in spec.levels */
    struct solve_move move;
    struct opdesc desc; /* breaks the rule, and no other */
};

typedef bool (*corner_visit)(void *context, const struct corner_row *row);
enum corner_result { CORNER_DONE, CORNER_STOPPED, CORNER_NO_MEMORY };

/* Calls `visit` with rows that cover every combination of `strength` values (1 to 3) of feature level, data types,
 * ranks and the way to break the rule for which the solver finds a row. The result depends on spec, rule and strength
 * only. Ends early when `visit` returns false. */
enum corner_result corner_make(const struct spec *spec, unsigned op, int rule, int strength, corner_visit visit,
                               void *context);

#endif
