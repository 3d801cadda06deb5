/* cmd_compare.h: the parts of `assay compare`. */
#ifndef CLI_CMD_COMPARE_H
#define CLI_CMD_COMPARE_H

#include "harness/results/changes.h"
#include "harness/cli/cmd.h"

#define COMPARE_REPEATS 15
enum { COMPARE_REPEATS_MAX = 1000 };

/* The two runs, their differences, and how to print them. */
struct cmd_compare {
    struct changes_side before, after;
    struct history_failing *failing; /* the failures of `after` by the run where they began, oldest first */
    size_t failing_count;            /* of such runs */
    struct changes changes;
    struct timing_limits limits;
    enum changes_clock clock;
    size_t limit; /* maximum number of cases to print of each kind */
};

/* The settings of `assay compare --time`. */
struct cmd_compare_session {
    const struct cmd_source *source;
    const struct word_list *filters;
    const char *devices[2];
    const char *database; /* null: none */
    uint64_t seed;
    unsigned repeats, timeout_ms;
};

/* Runs the cases once on both devices, then `repeats` times those that pass on both; the devices take turns, and each
 * pass uses a fresh process and one dispatch per case. Fills in compare->before and compare->after. EXIT_INCOMPLETE:
 * interrupted; both sides hold the results so far. */
int cmd_compare_time(const struct cmd_compare_session *session, struct cmd_compare *compare, struct error *error);

/* Print the comparison to standard output: as text, and as one JSON object, which reports/README.md describes. */
void cmd_compare_print(const struct cmd_compare *compare);
void cmd_compare_json(const struct cmd_compare *compare);

/* Returns the number of cases of the second run that are incomplete. */
size_t cmd_compare_incomplete(const struct cmd_compare *compare);

/* Returns the changes with this verdict, changes->verdicts[verdict] many, largest difference first; freed by the
 * caller. Null: out of memory. */
const struct change **cmd_compare_by_ratio(const struct changes *changes, enum timing_verdict verdict);

/* Returns the number of cases that have enough samples to compare their times. */
size_t cmd_compare_tested(const struct changes *changes);

#endif
