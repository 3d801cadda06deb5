/* coverage.h: interaction coverage of a plan: how many of the combinations of two and of three values of an operator's
 * factors occur in its cases.
 *
 * Factors are the feature level, the data type of each type group, each declared parameter (values from 0 to 8, as ranks
 * and axes) and the kind of strides of each tensor. What a case has of them is read off its description, whichever
 * strategy made it; cases that must be rejected do not count. A combination that no case has is
 *   impossible  if it is proven that no legal description has it (solve_refute(), at every feature level),
 *   missed      if the solver finds a description that has it,
 *   undecided   otherwise.
 * All but the impossible ones count as combinable: where nothing is known, the figure is the lower one. */
#ifndef CASE_COVERAGE_H
#define CASE_COVERAGE_H

#include "harness/case/plan.h"

enum { COVERAGE_VALUES = 16, COVERAGE_LISTED = 20 };

struct coverage_factor {
    enum coverage_kind { COVERAGE_LEVEL, COVERAGE_TYPE, COVERAGE_PARAMETER, COVERAGE_STRIDES } kind;
    int which; /* group, parameter or field */
    int first; /* number of its first value: the values of all factors are numbered through */
    int count;
    int values[COVERAGE_VALUES]; /* table, DML_TENSOR_DATA_TYPE, number, enum stride_class */
};

/* Of the combinations of `ways` values. */
struct coverage_figure {
    int ways;
    uint64_t covered, missed, undecided, impossible;
    struct coverage_hole {
        int values[3]; /* numbers */
        bool undecided;
    } holes[COVERAGE_LISTED]; /* the first that are missed or undecided */
    int hole_count;
};

struct coverage {
    const struct spec *spec;
    struct coverage_factor factors[1 + SPEC_MAX_GROUPS + SPEC_MAX_PARAMETERS + OPDESC_MAX_FIELDS];
    int factor_count, value_count;
    struct coverage_figure pairs, triples;
};

/* Measures operator `op` in the plan. EXIT_HARNESS: out of memory. */
int coverage_measure(struct coverage *coverage, const struct spec_set *specs, int op, const struct plan *plan,
                     struct error *error);

/* All but the impossible ones; and how many of them are covered, in hundredths of a percent, rounded down. */
uint64_t coverage_combinable(const struct coverage_figure *figure);
unsigned coverage_share(const struct coverage_figure *figure);

/* A combination as a person reads it: "level 3_0, d 4, IndicesTensor padded". */
void coverage_describe(const struct coverage *coverage, const struct coverage_figure *figure,
                       const struct coverage_hole *hole, char *text, size_t size);

/* The kind of strides that a tensor has, by looking at them; -1: none of the kinds. */
int coverage_strides(const struct opdesc_tensor *t);

#endif
