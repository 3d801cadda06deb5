#include "harness/trial/verdict.h"

#include <string.h>

static const char *const names[STATUS_COUNT] = {
    [STATUS_PASS] = "pass",
    [STATUS_FAIL] = "fail",
    [STATUS_WARN] = "warn",
    [STATUS_CRASH] = "crash",
    [STATUS_TIMEOUT] = "timeout",
    [STATUS_DEVICE_LOST] = "device_lost",
    [STATUS_UNSUPPORTED] = "unsupported",
    [STATUS_SKIP] = "skip",
    [STATUS_HARNESS_ERROR] = "harness_error",
    [STATUS_INCOMPLETE] = "incomplete",
};

static const int severities[STATUS_COUNT] = {
    [STATUS_PASS] = 0,        [STATUS_SKIP] = 1,          [STATUS_UNSUPPORTED] = 2, [STATUS_WARN] = 3,
    [STATUS_INCOMPLETE] = 4,  [STATUS_HARNESS_ERROR] = 5, [STATUS_FAIL] = 6,        [STATUS_TIMEOUT] = 7,
    [STATUS_DEVICE_LOST] = 8, [STATUS_CRASH] = 9,
};

const char *status_name(enum status status)
{
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

int status_is_failure(enum status status)
{
    return status == STATUS_FAIL || status == STATUS_CRASH || status == STATUS_TIMEOUT ||
           status == STATUS_DEVICE_LOST || status == STATUS_HARNESS_ERROR;
}

enum status status_find(const char *name)
{
    int status = 0;
    while (status < STATUS_COUNT && strcmp(names[status], name) != 0)
        status++;
    return (enum status)status;
}

static const char *const causes[CAUSE_COUNT] = {
    [CAUSE_NONE] = "",
    [CAUSE_ACCEPT] = "wrong accept",
    [CAUSE_REJECT] = "wrong reject",
    [CAUSE_ERROR] = "wrong error",
    [CAUSE_RESULT] = "wrong result",
    [CAUSE_MEMORY] = "corrupt memory",
    [CAUSE_SUPPORT] = "support",
    [CAUSE_CONDUCT] = "conduct",
    [CAUSE_CRASH] = "crash",
    [CAUSE_TIMEOUT] = "timeout",
    [CAUSE_LOST] = "device lost",
    [CAUSE_HARNESS] = "harness",
    [CAUSE_FILE] = "case file",
};

const char *promise_name(enum promise promise)
{
    static const char *const ids[PROMISE_COUNT] = {[PROMISE_NONE] = "",
                                                   [PROMISE_INDEPENDENT] = "independent",
                                                   [PROMISE_OPERATOR_FIRST] = "operator-first",
                                                   [PROMISE_DEVICES] = "devices",
                                                   [PROMISE_FREES] = "frees",
                                                   [PROMISE_DESCRIBES] = "describes",
                                                   [PROMISE_DATA_TYPES] = "data-types",
                                                   [PROMISE_MESSAGE] = "message",
                                                   [PROMISE_POINTERS] = "pointers",
                                                   [PROMISE_SUCCESS] = "success",
                                                   [PROMISE_CLOCK] = "clock",
                                                   [PROMISE_TENSORS_IN_DISPATCH] = "tensors-in-dispatch",
                                                   [PROMISE_THREADS] = "threads",
                                                   [PROMISE_PROCESS_STATE] = "process-state",
                                                   [PROMISE_FORK] = "fork",
                                                   [PROMISE_PROGRAMS] = "programs",
                                                   [PROMISE_OUTPUT] = "output",
                                                   [PROMISE_SANDBOX] = "sandbox",
                                                   [PROMISE_DESTROY_NULL] = "destroy-null"};
    return ids[promise];
}

const char *cause_name(enum cause cause)
{
    return (unsigned)cause < CAUSE_COUNT ? causes[cause] : "";
}

enum cause cause_find(const char *name)
{
    for (int cause = 0; cause < CAUSE_COUNT; cause++)
        if (strcmp(causes[cause], name) == 0)
            return (enum cause)cause;
    return CAUSE_NONE;
}

enum cause cause_of(enum status status, enum cause cause)
{
    switch (status) {
    case STATUS_PASS:
    case STATUS_SKIP:
        return CAUSE_NONE;
    case STATUS_CRASH:
        return CAUSE_CRASH;
    case STATUS_TIMEOUT:
        return CAUSE_TIMEOUT;
    case STATUS_DEVICE_LOST:
        return CAUSE_LOST;
    case STATUS_HARNESS_ERROR:
        return cause == CAUSE_FILE ? CAUSE_FILE : CAUSE_HARNESS;
    default:
        return cause;
    }
}

int status_severity(enum status status)
{
    return (unsigned)status < STATUS_COUNT ? severities[status] : STATUS_COUNT;
}
