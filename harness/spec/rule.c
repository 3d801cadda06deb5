#include "harness/spec/rule.h"

const char *strength_name(enum strength strength)
{
    static const char *const names[] = {"reject", "must", "soft", "open"};
    return names[strength];
}

bool rule_applies(const struct rule *rule, DML_FEATURE_LEVEL level)
{
    return !rule->behaviour && levels_include(rule->from, rule->before, level);
}
