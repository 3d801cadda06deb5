#include "harness/record.h"

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

int status_severity(enum status status)
{
    return (unsigned)status < STATUS_COUNT ? severities[status] : STATUS_COUNT;
}
