/* record.h: what is known of one attempt at a case once it has run. Filled in by the runner; read by the store and the formats. */
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

/* By name; STATUS_COUNT: there is none of that name. */
enum status status_find(const char *name);

/* Whether the status makes a run fail where nothing is expected: fail, crash, timeout, device_lost, harness_error. */
int status_is_failure(enum status status);

/* How a case stands to what somebody said that it would do (expect.h). */
enum standing { STANDING_NONE, STANDING_EXPECTED, STANDING_UNEXPECTED, STANDING_COUNT };

/* "", "expected", "unexpected". */
const char *standing_name(enum standing standing);

/* What is wrong where a case is no pass: what failures are grouped by. The words of fuzz.h, where both have one. */
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

/* Text is whatever a device or a file said: any bytes. Writers escape. */
struct record {
    const char *case_name;     /* "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k1" */
    const char *operator_name; /* "GATHER_ND" */
    const char *feature_level; /* "3_0" */
    const char
        *data_types;       /* "float32-int64": one a group of tensors that have the same; "" where there is no choice */
    const char *device;    /* as given with -d */
    const char *rule;      /* id of the rule that decides, or "" */
    const char *strength;  /* of that rule: "reject", "must", "soft", "open"; or "" */
    const char *pages;     /* page sentence ids, or ruling ids, of that rule: "bed83-115, A6", or "" */
    const char *expected;  /* what was expected of the device, a few words: "outputs as the reference device" */
    const char *outcome;   /* what the device chose where it has a choice: "clamped"; or "" */
    const char *message;   /* why it is not a pass; "" for a pass */
    const char *reproduce; /* one line for the shell; "" for a pass */
    const char *dump;      /* outputs, expected and got, a line each; "" unless asked for */
    struct wrong wrong;
    enum status status;
    enum cause cause;
    bool slow; /* it took longer than it should */
    bool kept; /* it has been kept already */
    uint64_t seed;
    uint64_t host_ns;   /* spent inside the device's calls */
    uint64_t device_ns; /* by the device's clock; 0: none */
    uint64_t checksum;  /* of the outputs that were compared; 0: none were */

    unsigned attempt;  /* 1, 2, … at this case in this run */
    bool last;         /* the one that counts. What follows is known of it alone */
    bool flaky;        /* the attempts did not all end the same, and one of them ended well */
    uint32_t statuses; /* of all attempts, bit n: enum status n */
    enum standing standing;
    const char *reason; /* why it was expected to end so; null or "": nothing was expected */
};

/* Whether the record, a last one, makes its run fail: a failure or flaky and not expected, or anything unexpected. */
bool record_is_failure(const struct record *record);

/* Sums over the cases of a run. */
struct record_total {
    uint64_t counts[STATUS_COUNT]; /* by the status of the last attempt; their sum is the number planned */
    uint64_t failures;             /* records that make the run fail */
    uint64_t expected;             /* failures and flaky cases that were expected */
    uint64_t unexpected;           /* what is not as an expectation says */
    uint64_t flaky;
};

void record_add(struct record_total *total, const struct record *record);
void record_add_total(struct record_total *total, const struct record_total *other);

#endif
