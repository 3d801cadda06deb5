/* applicability.h: whether a case is to be run on a device at all, and what its record says of it beforehand. */
#ifndef RUN_APPLICABILITY_H
#define RUN_APPLICABILITY_H

#include "harness/run/record.h"
#include "harness/case/testcase.h"

/* What the device supports, as far as that decides what is run. */
struct applicability {
    DML_FEATURE_LEVEL level; /* highest declared; 0: it promises nothing */
    uint64_t max_bytes;      /* of a tensor; 0: any */
};

/* False: it is not to be run, and ends as `*status`, because of `why`. */
bool applies(const struct testcase *c, const struct applicability *to, enum status *status, char *why, size_t size);

#endif
