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

/* The relation of a case to the expectation files (expect.h). */
enum standing {
    STANDING_NONE,       /* no line decides the case */
    STANDING_EXPECTED,   /* the case ended as expected */
    STANDING_UNEXPECTED, /* the case did not end as expected */
    STANDING_COUNT
};

/* "", "expected", "unexpected". */
const char *standing_name(enum standing standing);

/* Returns the standing with the name. Any other text is STANDING_NONE. */
enum standing standing_find(const char *name);

/* Returns the kind of answer that a case expects of the device: "results", "acceptance", "either", "rejection". */
const char *expectation_name(enum expectation expects);

/* Returns the expectation with the name. Any other text is EXPECT_RESULTS. */
enum expectation expectation_find(const char *name);

/* Strings may come from a device or a file and contain any bytes: code that writes them out must escape them. */
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
    const char *strength;      /* the strength of `rule`: "reject", "must", "soft", "open"; or "" */
    const char *pages;         /* ids of that rule's page sentences or rulings: "bed83-115, A6"; or "" */
    const char *expected;     /* the expected answer of the device, a few words: "the outputs that the formula gives" */
    const char *outcome;      /* the device's choice, if it has one: "clamped"; or "" */
    const char *message;      /* the reason why the status is no pass; "" for a pass */
    const char *reproduce;    /* a shell command that repeats the attempt; "" for a pass that is not flaky */
    const char *dump;         /* outputs, expected and got, a line each; "" unless asked for */
    const char *printed;      /* the end of the device's text on standard error; null or "": it printed none */
    enum expectation expects; /* the kind of answer that `expected` describes */
    struct verdict verdict;
    struct symptoms symptoms;
    bool slow;     /* the attempt took longer than runner_config.slow_ms */
    bool kept;     /* the record has been passed to runner_config.keep() already */
    bool recalled; /* an earlier part of the run produced the record */
    uint64_t seed;
    const struct measured *measured; /* null: the case was not measured */
    unsigned attempt;                /* 1, 2, … at this case in this run */
    bool last; /* the attempt is the last one, which counts; only then the members below are set */

    bool flaky;        /* the attempts ended with different statuses, and at least one of them is no failure */
    uint32_t statuses; /* the statuses of all attempts, bit n: enum status n */
    enum standing standing;
    const char *reason; /* the reason of the expectation; null or "": nothing was expected */
};

/* Returns the text, or "" if it is null. */
static inline const char *record_text(const char *text)
{
    return text ? text : "";
}

/* Prints the reason why a result is wrong to `text`, for a person: the sentences of its explanations, or "unexplained"
 * and the property that its wrong elements share; "" if the result is not wrong. Returns `text`. */
const char *record_why(const struct record *record, char *text, size_t size);

/* Returns true if the record, a last one, makes its run fail: it is unexpected, or no line decides it and it is a
 * failure or flaky. */
bool record_is_failure(const struct record *record);

/* Returns true if the record, a last one, is a failure or flaky as an expectation file says. */
bool record_is_known(const struct record *record);

/* Counts over the cases of a run. */
struct record_total {
    uint64_t counts[STATUS_COUNT]; /* cases by the status of the last attempt; the sum is the number planned */
    uint64_t failures;             /* records that make the run fail */
    uint64_t harness_errors;       /* failures that end in harness_error */
    uint64_t expected;             /* failures and flaky cases that were expected */
    uint64_t unexpected;           /* cases that did not end as expected, */
    uint64_t unexpected_passes;    /* and those of them that passed */
    uint64_t flaky;
    uint64_t compared; /* passes in which outputs of the device were compared */
};

/* Adds a last record. */
void record_add(struct record_total *total, const struct record *record);
void record_add_total(struct record_total *total, const struct record_total *other);

#endif
