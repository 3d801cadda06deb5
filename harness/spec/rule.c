#include "harness/spec/rule.h"

const char *strength_name(enum strength strength)
{
    static const char *const names[] = {"reject", "must", "soft", "open"};
    return names[strength];
}

bool atom_allows(const struct atom *atom, float x)
{
    const struct real_range *range = &atom->reals;
    return (double)x >= range->low && (double)x <= range->high && !(range->above_low && (double)x == range->low) &&
           !(range->below_high && (double)x == range->high);
}
