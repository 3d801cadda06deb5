/* changes.h: compares two runs, by the results and by the times of their cases. */
#ifndef RESULTS_CHANGES_H
#define RESULTS_CHANGES_H

#include "harness/results/history.h"
#include "harness/base/pool.h"
#include "harness/results/timing.h"

#include <stdio.h>

/* A case of one run. Text comes from a device or a database: print it with text_print(). */
struct changes_case {
    const char *name, *operator_name, *rule, *message, *reproduce;
    const char *outcome; /* the device's choice, if the documents leave one, or "" */
    enum status status;
    struct largest_error error;
    bool bad; /* the status is a failure; or the case is flaky and nothing expects that */
    bool flaky;
    double *samples; /* nanoseconds, in the order in which they were taken */
    unsigned sample_count, sample_room;
};

/* One of the two runs. Zeroed is empty. */
struct changes_side {
    const char *database; /* path, "" if none */
    struct history_run run;
    struct history_summary summary; /* the state right after the run, if the side shows it; else zeroed */
    bool partial;                   /* cases may exist that the side does not have */
    struct changes_case *cases;
    size_t count, room;
    struct pool pool;
};

enum changes_clock { CLOCK_HOST, CLOCK_DEVICE };

/* An error counts as grown from this factor and this share of the bound on: smaller changes come with every change of a
 * compiler. */
#define CHANGES_ERROR_GREW 1.25
#define CHANGES_ERROR_LEAST 0.1

/* The change of the result of a case. status_severity() orders the statuses. */
enum change_kind {
    CHANGE_NONE,
    CHANGE_REGRESSION, /* the case did not fail, fails or is flaky now */
    CHANGE_FIX,        /* the case failed or was flaky, passes or warns now */
    CHANGE_WORSE,      /* the status is more severe, but this is no regression */
    CHANGE_BETTER,     /* the status is less severe, but this is no fix */
    CHANGE_NEW,        /* the case is in the second run only */
    CHANGE_GONE,       /* the case is in the first run only, though the second one is whole */
    CHANGE_NOT_RUN,    /* the case is in the first run only; the second one is partial */
    CHANGE_KINDS
};

struct change {
    enum change_kind kind;
    bool choice;     /* both runs have an outcome, and they differ */
    bool error_grew; /* it grew by CHANGES_ERROR_GREW, and to CHANGES_ERROR_LEAST of the bound */
    const struct changes_case *before, *after; /* null: the case is not in that run */
    struct timing timing;
};

/* The cases of an operator that have all repeats, tested together by their geometric mean in each repeat. */
struct changes_group {
    const char *name; /* null: all cases */
    size_t cases;
    struct timing timing;
};

struct changes {
    struct change *items; /* sorted by name */
    size_t count;
    size_t kinds[CHANGE_KINDS];       /* cases by kind */
    size_t new_failing;               /* new cases that fail */
    size_t choices;                   /* cases whose outcome changed */
    size_t errors_grew;               /* cases whose largest error grew */
    size_t verdicts[TIMING_VERDICTS]; /* cases by timing verdict */
    struct changes_group *groups;     /* sorted by name; the last one is of all cases */
    size_t group_count;               /* 0: no case was tested */
    struct pool pool;
};

/* Adds a case and copies its text. Returns null if out of memory. The pointer is valid until the next case is added. */
struct changes_case *changes_add(struct changes_side *side, const struct history_result *result);
void changes_add_sample(struct changes_side *side, struct changes_case *c, double nanoseconds);

/* Sorts the cases by name, as changes_make() requires. */
void changes_sort(struct changes_side *side);

/* Reads the cases of a run that match one of the patterns, or all cases if there are none, with their samples by the
 * given clock. 0 or EXIT_HARNESS. */
int changes_read(struct changes_side *side, struct history *history, const struct history_run *run,
                 const char *const *patterns, size_t pattern_count, enum changes_clock clock, struct error *error);
void changes_side_free(struct changes_side *side);

/* Reads the state of the run's device right after the run, with the samples, as changes_read() does. It reads the cases
 * that `cases` selects or, if `compared` is not 0, the results that history_state_before() reads for a comparison with
 * that run. */
int changes_read_state(struct changes_side *side, struct history *history, const struct history_run *run,
                       enum history_cases_of cases, int64_t compared, const char *const *patterns, size_t pattern_count,
                       enum changes_clock clock, struct error *error);

/* Returns the status of a case as a person reads it: "flaky" if the attempts disagree and nothing expects that. */
const char *changes_status(const struct changes_case *c);

/* Compares two sorted sides, which must outlive the result. 0, or EXIT_HARNESS if out of memory. */
int changes_make(struct changes *changes, const struct changes_side *before, const struct changes_side *after,
                 const struct timing_limits *limits, struct error *error);
void changes_free(struct changes *changes);

/* Prints the counts as a JSON object: both, same, regressions, fixes, worse, better, new, new_failing, gone, not_run,
 * choices. */
void changes_print_counts(FILE *out, const struct changes *changes);

/* Returns the number of cases in both runs. */
size_t changes_in_both(const struct changes *changes);

/* Returns true if a case or a group has the timing verdict. */
bool changes_any(const struct changes *changes, enum timing_verdict verdict);

#endif
