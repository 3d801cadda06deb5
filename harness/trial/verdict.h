/* verdict.h: how a case ended: its status, the cause of a failure, the first wrong element. judge.c decides them. */
#ifndef TRIAL_VERDICT_H
#define TRIAL_VERDICT_H

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

/* By name; STATUS_COUNT: there is none of that name. */
enum status status_find(const char *name);

/* Whether the status makes a run fail where nothing is expected: fail, crash, timeout, device_lost, harness_error. */
int status_is_failure(enum status status);

/* What is wrong where a case is no pass: what failures are grouped by. The words of fuzz/state.h, where both have one. */
enum cause {
    CAUSE_NONE,
    CAUSE_ACCEPT,  /* accepted, and must be rejected */
    CAUSE_REJECT,  /* rejected, although legal */
    CAUSE_ERROR,   /* failed with another error, or at another call, than it should */
    CAUSE_RESULT,  /* outputs are wrong, or not written */
    CAUSE_MEMORY,  /* written where nothing is to be written */
    CAUSE_SUPPORT, /* supports less than it says or its feature level promises, or more */
    CAUSE_CONDUCT, /* did what no device may do to its process or to what calls return */
    /* Where the status says all: */
    CAUSE_CRASH,
    CAUSE_TIMEOUT,
    CAUSE_LOST,
    CAUSE_HARNESS,
    CAUSE_COUNT
};

/* "wrong accept", "corrupt memory", …; "" for none. */
const char *cause_name(enum cause cause);

/* By name; CAUSE_NONE: there is none of that name. */
enum cause cause_find(const char *name);

/* The cause, or the one that the status is in itself. */
enum cause cause_of(enum status status, enum cause cause);

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

#endif
