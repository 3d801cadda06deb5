/* record.h: what is known of one case once it has run. Filled in by the runner; read by the store and the formats. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every planned case ends in exactly one of these. */
enum status {
    STATUS_PASS,
    STATUS_FAIL,
    STATUS_WARN,          /* deviates from a rule of strength soft */
    STATUS_CRASH,         /* the device's process died */
    STATUS_TIMEOUT,       /* it did not answer in time */
    STATUS_DEVICE_LOST,   /* DXGI_ERROR_DEVICE_REMOVED */
    STATUS_UNSUPPORTED,   /* the device says it cannot, and has not promised to */
    STATUS_SKIP,          /* does not apply to this device: another feature level */
    STATUS_HARNESS_ERROR, /* ours: the case could not be made or judged */
    STATUS_INCOMPLETE,    /* planned, not run: interrupted */
    STATUS_COUNT
};

/* "pass", "fail", … as stored in databases and printed. */
const char *status_name(enum status status);

/* Whether the status makes a run fail: fail, crash, timeout, device_lost, harness_error. */
int status_is_failure(enum status status);

/* The order of the statuses: 0 is best. pass, skip, unsupported, warn, incomplete, harness_error, fail, timeout,
 * device_lost, crash. */
int status_severity(enum status status);

/* The first wrong element, for a person. Empty strings where there is none. */
struct wrong {
    char tensor[64];      /* field name */
    char coordinates[96]; /* "{0,0,2,1}" */
    char got[64];         /* value and bits: "1.5 (0x3fc00000)" */
    char expected[64];
    uint64_t count; /* how many elements are wrong */
};

/* Text is whatever a device or a file said: any bytes. Writers escape. */
struct record {
    const char *case_name;     /* "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k1" */
    const char *operator_name; /* "GATHER_ND" */
    const char *feature_level; /* "3_0" */
    const char *device;        /* as given with -d */
    const char *rule;          /* id of the rule that decides, or "" */
    const char *strength;      /* of that rule: "reject", "must", "soft", "open"; or "" */
    const char *pages;         /* page sentence ids, or ruling ids, of that rule: "bed83-115, A6", or "" */
    const char *expected;      /* what was expected of the device, a few words: "outputs as the reference device" */
    const char *outcome;       /* what the device chose where it has a choice: "clamped"; or "" */
    const char *message;       /* why it is not a pass; "" for a pass */
    const char *reproduce;     /* one line for the shell; "" for a pass */
    const char *dump;          /* outputs, expected and got, a line each; "" unless asked for */
    struct wrong wrong;
    enum status status;
    bool slow; /* it took longer than it should */
    bool kept; /* it has been kept already */
    uint64_t seed;
    uint64_t host_ns;   /* spent inside the device's calls */
    uint64_t device_ns; /* by the device's clock; 0: none */
};

#endif
