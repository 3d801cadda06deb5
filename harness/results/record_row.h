/* record_row.h: records read back from view results. */
#ifndef RESULTS_RECORD_ROW_H
#define RESULTS_RECORD_ROW_H

#include "harness/results/row.h"
#include "harness/run/record.h"

/* The columns that record_row() reads. A query on view results selects them; it may select more. */
#define RECORD_ROW                                                                                                     \
    "case_name, operator, feature_level, data_types, rule, strength, pages, expected, expects, outcome, message, "     \
    "reproduce, status, slow, seed, host_ns, device_ns, attempt, flaky, expectation, reason, cause, wrong_count, "     \
    "broken, explanations, shared, wrong_elements, printed, error_ulps, error_share, "                                 \
    "wrong_tensor, wrong_coordinates, wrong_got, wrong_expected"

/* Fills in the record of the current row. Its text is valid until the statement is stepped. The caller sets `device`.
 * `statuses` holds the status of the last attempt alone. */
void record_row(struct row *row, struct record *out);

#endif
