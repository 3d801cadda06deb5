/* branches.h: the parts of a formula that are needed where conditions choose among branches. Some conditions depend on
 * the description alone. Others depend on the place of an element: a stage may have phases, for example. */
#ifndef FORMULA_BRANCHES_H
#define FORMULA_BRANCHES_H

#include "harness/formula/evaluate.h"
#include "harness/spec/spec.h"

/* The nodes of a formula whose values are known before its folds and elements are, and the nodes that are used then. */
struct settled {
    bool known[FORMULA_MAX_NODES], used[FORMULA_MAX_NODES];
    double values[FORMULA_MAX_NODES];
};

/* Finds the values that the description decides alone: constants, integers among the attributes, types of nested
 * descriptions, whether fields are given, and sums and products of these (FLOATs may be read as FLOAT16). `placed`:
 * coordinates are known, too. */
void branches_settle(const struct formula *formula, const struct formula_reals *reals, bool placed,
                     struct settled *out);

/* Marks the nodes that are used. Returns the folds among them: bit n is fold n. */
uint32_t branches_mark(const struct formula *formula, struct settled *settled);

/* The branches that a result's value takes at a place. */
struct branches {
    const struct spec_result *result;
    struct settled settled;
    int condition_count, run_count;
    int16_t conditions[FORMULA_MAX_NODES]; /* nodes that the place decides */
    bool watched[OPDESC_MAX_DIMENSIONS];   /* the coordinates, the last one first, on which they depend */
    double place[OPDESC_MAX_DIMENSIONS];   /* those for which the branches were chosen */
    bool decides[FORMULA_MAX_NODES];       /* the node is the condition of an IF */
    struct {
        int16_t from, past;
    } runs[FORMULA_MAX_NODES]; /* nodes that are used */
    uint32_t folds;
    bool chosen;
};

void branches_prepare(struct branches *out, const struct spec_result *result, const struct formula_reals *reals);

/* Chooses the branches for the coordinates of `reals`. Returns the folds to evaluate. */
uint32_t branches_choose(struct branches *branches, const struct formula_reals *reals);

/* Evaluates the nodes of the chosen branches. */
void branches_evaluate(const struct branches *branches, const struct formula_reals *reals,
                       double values[FORMULA_MAX_NODES]);

/* Returns what formula_real() returns, from the chosen branches. */
double branches_real(const struct branches *branches, const struct formula_reals *reals);

#endif
