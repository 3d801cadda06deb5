/* changes.h: what differs between two runs: case by case, and in time. */
#ifndef RESULTS_CHANGES_H
#define RESULTS_CHANGES_H

#include "harness/results/history.h"
#include "harness/base/pool.h"
#include "harness/results/timing.h"

#include <stdio.h>

/* A case of one run. Text is whatever a device or a database said: print it with text_print(). */
struct changes_case {
    const char *name, *operator_name, *rule, *message, *reproduce;
    const char *outcome; /* what the device chose where the documents leave a choice, or "" */
    enum status status;
    double *samples; /* nanoseconds, in the order they were taken */
    unsigned sample_count, sample_room;
};

struct changes_side {
    const char *database; /* path, "" if none */
    struct history_run run;
    struct changes_case *cases;
    size_t count, room;
    struct pool pool;
};

enum changes_clock { CLOCK_HOST, CLOCK_DEVICE };

/* What became of a case. A status is worse or better by status_severity(). */
enum change_kind {
    CHANGE_NONE,
    CHANGE_REGRESSION, /* did not fail, fails */
    CHANGE_FIX,        /* failed, passes or warns */
    CHANGE_WORSE,      /* another status, worse, but no regression */
    CHANGE_BETTER,     /* another status, better, but no fix */
    CHANGE_NEW,        /* is in the second run only */
    CHANGE_GONE,       /* is in the first run only */
    CHANGE_KINDS
};

struct change {
    enum change_kind kind;
    bool choice;                               /* the outcomes are both there and differ */
    const struct changes_case *before, *after; /* null: it is not in that run */
    struct timing timing;
};

/* The cases of an operator that have all their samples, together: of each repeat the geometric mean. */
struct changes_group {
    const char *name; /* null: all cases */
    size_t cases;
    struct timing timing;
};

struct changes {
    struct change *items; /* by name */
    size_t count;
    size_t kinds[CHANGE_KINDS]; /* how many of each */
    size_t new_failing;         /* of the new ones */
    size_t choices;
    size_t verdicts[TIMING_VERDICTS];
    struct changes_group *groups; /* by name; the last: all cases */
    size_t group_count;           /* 0: no samples */
    struct pool pool;
};

/* Adds a case; its text is copied. Null: no memory. */
struct changes_case *changes_add(struct changes_side *side, const struct history_result *result);
void changes_add_sample(struct changes_side *side, struct changes_case *c, double nanoseconds);

/* Cases by name, as changes_make() wants them. */
void changes_sort(struct changes_side *side);

/* Reads a run: the cases that one of the patterns matches, or all. Samples are those of the clock. */
int changes_read(struct changes_side *side, struct history *history, const struct history_run *run,
                 const char *const *patterns, size_t pattern_count, enum changes_clock clock, struct error *error);
void changes_side_free(struct changes_side *side);

/* Compares. The sides must outlive the result. */
int changes_make(struct changes *changes, const struct changes_side *before, const struct changes_side *after,
                 const struct timing_limits *limits, struct error *error);
void changes_free(struct changes *changes);

/* The counts as a JSON object: both, same, regressions, fixes, worse, better, new, new_failing, gone, choices. */
void changes_print_counts(FILE *out, const struct changes *changes);

/* Cases in both runs; whether some are slower or faster, as a case or an operator. */
size_t changes_in_both(const struct changes *changes);
bool changes_any(const struct changes *changes, enum timing_verdict verdict);

#endif
