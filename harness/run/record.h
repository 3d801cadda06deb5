/* record.h: what is known of one attempt at a case once it has run. Filled in by the runner; read by the store and the formats. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "harness/trial/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a case stands to what somebody said that it would do (expect.h). */
enum standing { STANDING_NONE, STANDING_EXPECTED, STANDING_UNEXPECTED, STANDING_COUNT };

/* "", "expected", "unexpected". */
const char *standing_name(enum standing standing);

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
    bool slow;     /* it took longer than it should */
    bool kept;     /* it has been kept already */
    bool recalled; /* by an earlier part of the run */
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
