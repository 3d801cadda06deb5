/* report_operators.h: the documented operators in the database of a report, so that it names those without cases. */
#ifndef RESULTS_REPORT_OPERATORS_H
#define RESULTS_REPORT_OPERATORS_H

#include "harness/base/error.h"

#include <sqlite3.h>

/* Makes, unless there already is one, temporary view report_conformance (as_of, device, level, operator, state): as
 * view current_conformance, for the documented operators alone, up to the level that the device declares. `state` is
 * also 'none' if no case of the operator applies to the device. */
int report_operators_list(sqlite3 *db, struct error *error);

#endif
