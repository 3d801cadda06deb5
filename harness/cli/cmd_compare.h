/* cmd_compare.h: the parts of `assay compare`. */
#ifndef CLI_CMD_COMPARE_H
#define CLI_CMD_COMPARE_H

#include "harness/results/changes.h"
#include "harness/cli/cmd.h"

enum { COMPARE_REPEATS = 15, COMPARE_REPEATS_MAX = 1000 };

/* What is compared, and how it is to be shown. */
struct cmd_compare {
    struct changes_side before, after;
    struct changes changes;
    struct timing_limits limits;
    enum changes_clock clock;
    size_t limit; /* most cases of a kind */
};

/* What --time measures. */
struct cmd_compare_session {
    const struct cmd_source *source;
    const struct word_list *filters;
    const char *devices[2];
    const char *database; /* null: none */
    uint64_t seed;
    unsigned repeats, timeout_ms;
};

/* Runs the cases once on both devices, and those that pass on both `repeats` times, alone and in turns, in a fresh process
 * each time; fills in both sides. EXIT_INCOMPLETE, with the sides as far as they are filled in, if interrupted. */
int cmd_compare_time(const struct cmd_compare_session *session, struct cmd_compare *compare, struct error *error);

void cmd_compare_print(const struct cmd_compare *compare);

/* One JSON object; reports/README.md describes it. */
void cmd_compare_json(const struct cmd_compare *compare);

/* How many statuses of the second run are incomplete. */
size_t cmd_compare_incomplete(const struct cmd_compare *compare);

/* The changes of that verdict, slowest first where they are slower, else fastest; freed by the caller. */
const struct change **cmd_compare_by_ratio(const struct changes *changes, enum timing_verdict verdict);

/* How many cases were tested for their time. */
size_t cmd_compare_tested(const struct changes *changes);

#endif
