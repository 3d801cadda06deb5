/* applies.h: whether a case is to be run on a device at all, and what its record says of it beforehand. */
#ifndef APPLIES_H
#define APPLIES_H

#include "harness/record.h"
#include "harness/testcase.h"

/* What the device supports, as far as that decides what is run. */
struct applies_to {
    DML_FEATURE_LEVEL level; /* highest declared; 0: it promises nothing */
    uint64_t most_bytes;     /* of a tensor; 0: any */
};

/* False: it is not to be run, and ends as `*status`, because of `why`. */
bool applies(const struct testcase *c, const struct applies_to *to, enum status *status, char *why, size_t size);

/* The rule that a record names: the one tested, or else the first thing that the operator must do. Null: none. */
const struct rule *applies_rule(const struct testcase *c);

/* What is expected of the device, a few words. */
const char *applies_expected(const struct testcase *c);

#endif
