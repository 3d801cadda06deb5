/* record_row.h: a record as a row of view results. */
#ifndef RESULTS_RECORD_ROW_H
#define RESULTS_RECORD_ROW_H

#include "harness/run/record.h"

struct sqlite3_stmt;

/* What a statement that reads records selects, from view results. */
#define RECORD_ROW                                                                                                     \
    "case_name, operator, feature_level, rule, strength, pages, expected, outcome, message, reproduce, status, slow, " \
    "seed, host_ns, device_ns, wrong_count, wrong_tensor, wrong_coordinates, wrong_got, wrong_expected, attempt, "     \
    "flaky, "                                                                                                          \
    "expectation, reason, cause, data_types"

/* The record of the row that the statement is at. Its text lives until the statement goes on; `device` is set by the
 * caller, and `statuses` is that of the last attempt alone. */
void record_row(struct sqlite3_stmt *row, struct record *out);

#endif
