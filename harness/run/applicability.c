#include "harness/run/applicability.h"

#include "harness/check/check.h"

#include <stdio.h>

static bool applicability_is_too_large(const struct testcase *c, uint64_t max, char *why, size_t size)
{
    for (int i = -1; max > 0 && (i = testcase_next_tensor(c, i)) >= 0;)
        if (c->desc->items[i].tensor.total > max) {
            snprintf(why, size, "%s has %llu bytes, the device takes %llu", c->spec->tensor_names[i],
                     (unsigned long long)c->desc->items[i].tensor.total, (unsigned long long)max);
            return true;
        }
    return false;
}

bool applies(const struct testcase *c, const struct applicability *to, enum status *status, char *why, size_t size)
{
    /* A device that promises no level counts as having the highest. */
    DML_FEATURE_LEVEL level = to->level ? to->level : level_all[SPEC_MAX_LEVELS - 1];
    const char *declared = level_name(level);
    bool too_early = c->expect == EXPECT_REJECTED && c->rule >= 0 &&
                     rule_check(c->spec, c->rule, c->desc, level) == BROKEN && spec_table(c->spec, level) < 0;
    *status = STATUS_SKIP;
    if (!too_early && (c->spec->levels[c->table].level > level || level < c->spec->since)) {
        snprintf(why, size, "needs feature level %s, the device declares %s", c->spec->levels[c->table].name, declared);
        return false;
    }
    if (is_denied(&to->denied, (uint32_t)c->spec->type)) {
        snprintf(why, size, "the device says that it does not implement %s", c->spec->name);
        *status = STATUS_UNSUPPORTED;
        return false;
    }
    if (testcase_may_run(c) && applicability_is_too_large(c, to->max_bytes, why, size)) {
        *status = STATUS_UNSUPPORTED;
        return false;
    }
    if (c->expect == EXPECT_REJECTED) {
        snprintf(why, size, "legal at the feature level %s that the device declares", declared);
        return rules_check(c->spec, c->desc, level, NULL, 0) != 0;
    }
    return true;
}
