/* expect_cover_internal.h: expect_cover_rules.c finds lines of an expectation file about the rules that failures
 * break. */
#ifndef RESULTS_EXPECT_COVER_INTERNAL_H
#define RESULTS_EXPECT_COVER_INTERNAL_H

#include "harness/results/expect_cover.h"

/* Adds lines to `rules`, which has room for one for each case, for failures of an operator that break one rule, where
 * the names of `names` take more than one line; if not all cases of the operator are known, for failures of one of its
 * strategies. If failures of several operators break the rule, and no operator that tests it is without such a failure,
 * one line is about all operators. A line about a rule matches neither a failure that no pattern may match nor a case
 * that is not known. Sets `covered` for the cases of the new lines. */
void expect_cover_by_rule(const struct plan *plan, const uint32_t *wanted, const char *const *tested,
                          const char *const *broken, const struct expect_cover *names, struct expect_cover *rules,
                          bool *covered);

#endif
