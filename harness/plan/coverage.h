/* coverage.h: the coverage of a plan: which combinations of two and of three factor values of an operator occur in its
 * cases, and how many cases are in each of its situations (situation.h).
 *
 * Factors are the feature level, the data type of each type group, each declared parameter (values from 0 to 8, as
 * ranks and axes) and the kind of strides of each tensor. The values of a case are read off its description, whichever
 * strategy made it. Cases that must or may be rejected do not count. A combination that no case has is
 *   impossible  if solve_refute() proves that no legal description has it, at any feature level,
 *   missed      if the solver finds a legal description that has it,
 *   undecided   otherwise.
 * All but the impossible ones are combinable. Undecided ones count as not covered, so the share is a lower bound. */
#ifndef CASE_COVERAGE_H
#define CASE_COVERAGE_H

#include "harness/plan/factor.h"
#include "harness/plan/plan.h"

enum { COVERAGE_LISTED = 20 };

/* The combinations of `ways` values, 2 or 3. */
struct coverage_figure {
    int ways;
    uint64_t covered, missed, undecided, impossible;
    struct coverage_hole {
        int values[3]; /* numbers of values */
        bool undecided;
    } holes[COVERAGE_LISTED]; /* the first ones that are missed or undecided */
    int hole_count;
};

struct coverage {
    const struct spec *spec;
    struct factor factors[FACTORS_MAX];
    int first[FACTORS_MAX]; /* number of each factor's first value; all values are numbered consecutively */
    int factor_count, value_count;
    struct coverage_figure pairs, triples;
    uint64_t *situations; /* the number of cases in each situation of the spec */
};

/* Measures the coverage of operator `op` (index in specs) in the plan. EXIT_HARNESS: out of memory. coverage_free()
 * frees what it has allocated, also after an error. */
int coverage_measure(struct coverage *coverage, const struct spec_set *specs, int op, const struct plan *plan,
                     struct error *error);
void coverage_free(struct coverage *coverage);

/* Return the number of combinations that are combinable, and the share of them that is covered, in hundredths of a
 * percent, rounded down. */
uint64_t coverage_combinable(const struct coverage_figure *figure);
unsigned coverage_share(const struct coverage_figure *figure);

/* Writes a combination for a person: "level 3_0, d 4, IndicesTensor padded". */
void coverage_describe(const struct coverage *coverage, const struct coverage_figure *figure,
                       const struct coverage_hole *hole, char *text, size_t size);

#endif
