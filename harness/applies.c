#include "harness/applies.h"

#include <stdio.h>

const struct rule *applies_rule(const struct testcase *c)
{
    if (c->rule >= 0)
        return &c->spec->rules[c->rule];
    for (int i = 0; i < c->spec->rule_count && c->expect == EXPECT_RESULTS; i++)
        if (c->spec->rules[i].behaviour)
            return &c->spec->rules[i];
    return NULL;
}

const char *applies_expected(const struct testcase *c)
{
    switch (c->expect) {
    case EXPECT_REJECTED:
        return "rejection with E_INVALIDARG";
    case EXPECT_EITHER:
        return "acceptance or rejection";
    case EXPECT_ACCEPTED:
        return "acceptance";
    default:
        return testcase_has_outputs(c) ? "the documented outputs" : "the outputs of the reference device";
    }
}

static bool is_too_large(const struct testcase *c, uint64_t most, char *why, size_t size)
{
    for (int i = 0; i < c->spec->field_count && most > 0; i++)
        if (c->spec->fields[i].kind != FIELD_UINT && c->desc->fields[i].tensor.total > most) {
            snprintf(why, size, "%s has %llu bytes, the device takes %llu", c->spec->fields[i].name,
                     (unsigned long long)c->desc->fields[i].tensor.total, (unsigned long long)most);
            return true;
        }
    return false;
}

bool applies(const struct testcase *c, const struct applies_to *to, enum status *status, char *why, size_t size)
{
    /* One that promises nothing may do anything. */
    DML_FEATURE_LEVEL level = to->level ? to->level : level_all[SPEC_MAX_LEVELS - 1];
    const char *declared = level_name(level);
    bool too_early = c->expect == EXPECT_REJECTED && c->rule >= 0 &&
                     rule_check(c->spec, c->rule, c->desc, level) == BROKEN && spec_table(c->spec, level) < 0;
    *status = STATUS_SKIP;
    if (!too_early && (c->spec->levels[c->table].level > level || level < c->spec->since)) {
        snprintf(why, size, "needs feature level %s, the device declares %s", c->spec->levels[c->table].name, declared);
        return false;
    }
    if (c->expect == EXPECT_REJECTED) {
        snprintf(why, size, "legal at the feature level %s that the device declares", declared);
        return rules_check(c->spec, c->desc, level, NULL, 0) != 0;
    }
    if (c->expect == EXPECT_RESULTS && is_too_large(c, to->most_bytes, why, size)) {
        *status = STATUS_UNSUPPORTED;
        return false;
    }
    return true;
}
