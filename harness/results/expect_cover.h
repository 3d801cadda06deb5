/* expect_cover.h: finds few patterns that match the failing cases of a run and no others. */
#ifndef RESULTS_EXPECT_COVER_H
#define RESULTS_EXPECT_COVER_H

#include "harness/base/pool.h"
#include "harness/plan/plan.h"

/* The use of a case for patterns. Any other value is the statuses of a failing case, which some pattern must match. */
enum {
    COVER_FORBIDDEN = 0, /* no pattern may match the case */
    COVER_PASSES =
        1 << 29, /* with the statuses of a case that did not fail: only a pattern that expects them may match it */
    COVER_FREE = 1 << 30 /* the case was not judged: a pattern may match it */
};

struct expect_cover_line {
    const char *pattern;
    uint32_t statuses; /* the expected statuses: those of all cases that the pattern matches */
    size_t first;      /* index of the first failing case that the pattern matches */
    size_t failing, passing;
};

struct expect_cover {
    struct pool pool;
    struct expect_cover_line *lines; /* grouped by the rule of their first case */
    size_t count;
};

/* Chooses patterns by greedy set cover over generalisations of the names of failing cases: of operator, strategy,
 * label, feature level, data types and parameters. Each pattern was matched against the whole plan: the failing
 * cases that it matches have equal statuses, and it matches no case that passes. Where this takes many patterns for
 * failures of one tested rule, since their names do not tell them from cases of this rule that pass, patterns that
 * also expect a pass take their place: at least half of the judged cases that such a pattern matches fail.
 *
 * `wanted` is by case. `rules`, by case, names the rule that the case tests; null: no rules. Free with
 * expect_cover_free(). */
void expect_cover_make(struct expect_cover *cover, const struct plan *plan, const uint32_t *wanted,
                       const char *const *rules);
void expect_cover_free(struct expect_cover *cover);

#endif
