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

const char *status_name(enum status status)
{
    return (unsigned)status < STATUS_COUNT ? names[status] : "unknown";
}

int status_is_failure(enum status status)
{
    return status == STATUS_FAIL || status == STATUS_CRASH || status == STATUS_TIMEOUT ||
           status == STATUS_DEVICE_LOST || status == STATUS_HARNESS_ERROR;
}
