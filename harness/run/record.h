/* record.h: the result of one attempt at a case: the judge's verdict, and the texts around it. The runner fills it in;
 * the store and the formats read it. */
#ifndef RUN_RECORD_H
#define RUN_RECORD_H

#include "harness/case/testcase.h"
#include "harness/trial/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured; /* worker/measure.h */

/* How a case relates to the expectation files (expect.h). */
enum standing {
    STANDING_NONE,       /* no line decides it */
    STANDING_EXPECTED,   /* it ended as expected */
    STANDING_UNEXPECTED, /* it did not */
    STANDING_COUNT
};

/* "", "expected", "unexpected". */
const char *standing_name(enum standing standing);

/* The reverse of standing_name(). Any other text is STANDING_NONE. */
enum standing standing_find(const char *name);

/* The kind of answer that a case expects of the device: "results", "acceptance", "either", "rejection". */
const char *expectation_name(enum expectation expects);

/* The reverse of expectation_name(). Any other text is EXPECT_RESULTS. */
enum expectation expectation_find(const char *name);

/* Strings may come from a device or a file and contain any bytes: whoever writes them out must escape them. */
struct record {
    const char *case_name;     /* "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k1" */
    const char *operator_name; /* "GATHER_ND" */
    const char *feature_level; /* "3_0" */
    const char *data_types;    /* "float32-int64", one for each group of tensors that share a type; "": no choice */
    const char *device;        /* as given with -d */
    const char *rule;          /* id of the rule that the case tests, or "" */
    const char *broken;        /* id of the rule that is broken, as far as the failure shows; or "" */
    const char *rule_text;     /* the sentence of `rule`; null or "": not known, as in a record from a database */
    const char *broken_text;   /* the same of `broken` */
    const char *strength;      /* of `rule`: "reject", "must", "soft", "open"; or "" */
    const char *pages;         /* ids of that rule's page sentences or rulings: "bed83-115, A6"; or "" */
    const char *expected;      /* what was expected of the device, a few words: "outputs as the reference device" */
    const char *outcome;       /* what the device chose where it has a choice: "clamped"; or "" */
    const char *message;       /* why it is not a pass; "" for a pass */
    const char *reproduce;     /* a shell command that reproduces it; "" for a pass that is not flaky */
    const char *dump;          /* outputs, expected and got, a line each; "" unless asked for */
    const char *printed;       /* the end of what the device printed to standard error; null or "": nothing */
    enum expectation expects;  /* the kind of answer that `expected` describes */
    struct verdict verdict;
    struct symptoms symptoms;
    bool slow;     /* it took longer than runner_config.slow_ms */
    bool kept;     /* it has been passed to runner_config.keep() already */
    bool recalled; /* an earlier part of the run produced it */
    uint64_t seed;
    const struct measured *measured; /* null: it was not measured */
    unsigned attempt;                /* 1, 2, … at this case in this run */
    bool last;                       /* the last attempt, which counts; only its members below are set */

    bool flaky;        /* the attempts ended with different statuses, and at least one of them is no failure */
    uint32_t statuses; /* of all attempts, bit n: enum status n */
    enum standing standing;
    const char *reason; /* why the status was expected; null or "": nothing was expected */
};

/* Text that may be null: "" then. */
static inline const char *record_text(const char *text)
{
    return text ? text : "";
}

/* Why a result is wrong, for a person: the sentences of its explanations, or "unexplained" and what its wrong elements
 * share. "" if the result is not wrong. Returns `text`. */
const char *record_why(const struct record *record, char *text, size_t size);

/* Whether the record, a last one, makes its run fail: it is unexpected, or no line decides it and it is a failure or
 * flaky. */
bool record_is_failure(const struct record *record);

/* Whether the record, a last one, is a failure or flaky as an expectation file says. */
bool record_is_known(const struct record *record);

/* Counts over the cases of a run. */
struct record_total {
    uint64_t counts[STATUS_COUNT]; /* by the status of the last attempt; their sum is the number planned */
    uint64_t failures;             /* records that make the run fail */
    uint64_t harness_errors;       /* those of them that end in harness_error */
    uint64_t expected;             /* failures and flaky cases that were expected */
    uint64_t unexpected;           /* cases that did not end as expected */
    uint64_t flaky;
    uint64_t compared; /* passes in which outputs of the device were compared */
};

/* Adds a last record. */
void record_add(struct record_total *total, const struct record *record);
void record_add_total(struct record_total *total, const struct record_total *other);

#endif
