/* expect_cover.h: finds few lines of an expectation file that match the failing cases of a run and no others. */
#ifndef RESULTS_EXPECT_COVER_H
#define RESULTS_EXPECT_COVER_H

#include "harness/base/pool.h"
#include "harness/plan/plan.h"

/* The use of a case for patterns. Any other value is the statuses of a failing case, which some pattern must match. */
enum {
    COVER_FORBIDDEN = 0,     /* no pattern may match the case */
    COVER_UNKNOWN = 1 << 28, /* nor this one, of which the run knows nothing */
    COVER_PASSES =
        1 << 29, /* with the statuses of a case that did not fail: only a pattern that expects them may match it */
    COVER_FREE = 1 << 30 /* the case was not judged: a pattern may match it */
};

/* Returns true if the use is that of a failing case. */
bool expect_cover_fails(uint32_t wanted);

struct expect_cover_line {
    const char *pattern;
    const char *broken; /* the rule that the failures of the line break; null: the line is about names alone */
    uint32_t statuses;  /* the expected statuses: those of all cases that the pattern matches */
    size_t first;       /* index of the first failing case that the pattern matches */
    size_t failing, passing;
};

struct expect_cover {
    struct pool pool;
    struct expect_cover_line *lines; /* grouped by the rule of their first case */
    size_t count;
};

/* Chooses patterns by greedy set cover over generalisations of the names of failing cases: of operator, strategy,
 * label, feature level, data types and parameters. Each pattern was matched against the whole plan: the failing
 * cases that it matches have equal statuses, and it matches no case that passes. Where this takes several patterns for
 * failures of an operator that break one rule, a line about this rule takes their place (expect_cover_rules.c). Where
 * it takes many patterns for failures of one tested rule that break no known one, since their names do not tell them
 * from cases of this rule that pass, patterns that also expect a pass take their place: at least half of the judged
 * cases that such a pattern matches fail.
 *
 * `wanted` is by case. `rules` and `broken`, by case, name the rules that the case tests and breaks; null: no rules.
 * Free with expect_cover_free(). */
void expect_cover_make(struct expect_cover *cover, const struct plan *plan, const uint32_t *wanted,
                       const char *const *rules, const char *const *broken);
void expect_cover_free(struct expect_cover *cover);

#endif
