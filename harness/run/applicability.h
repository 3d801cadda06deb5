/* applicability.h: decides if a case is run on a device and, if not, the status that the case ends with. */
#ifndef RUN_APPLICABILITY_H
#define RUN_APPLICABILITY_H

#include "harness/case/testcase.h"
#include "harness/host/open_device.h"
#include "harness/run/record.h"

/* The properties of a device that decide which cases are run. */
struct applicability {
    DML_FEATURE_LEVEL level; /* the highest declared level; 0: the device promises none */
    uint64_t max_bytes;      /* the largest size of a tensor; 0: any */
    struct denied_operators denied;
};

/* Returns true if the case is to be run. False: the case ends with `*status` (STATUS_SKIP or STATUS_UNSUPPORTED) and
 * the message `why`. */
bool applies(const struct testcase *c, const struct applicability *to, enum status *status, char *why, size_t size);

#endif
