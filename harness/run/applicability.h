/* applicability.h: whether a case is run on a device at all and, if not, the status it ends with. */
#ifndef RUN_APPLICABILITY_H
#define RUN_APPLICABILITY_H

#include "harness/case/testcase.h"
#include "harness/host/open_device.h"
#include "harness/run/record.h"

/* The properties of a device that decide which cases are run. */
struct applicability {
    DML_FEATURE_LEVEL level; /* highest declared; 0: the device promises none */
    uint64_t max_bytes;      /* of a tensor; 0: any */
    struct denied_operators denied;
};

/* Whether to run the case. False: it ends with `*status` (STATUS_SKIP or STATUS_UNSUPPORTED) and the message `why`. */
bool applies(const struct testcase *c, const struct applicability *to, enum status *status, char *why, size_t size);

#endif
