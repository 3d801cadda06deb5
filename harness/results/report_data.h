/* report_data.h: the data of a report as JSON; reports/dashboard/data.schema.json describes it. */
#ifndef RESULTS_REPORT_DATA_H
#define RESULTS_REPORT_DATA_H

#include "harness/results/report.h"

/* Prints one JSON object. 0 or EXIT_HARNESS. */
int report_data_print(const struct report *report, FILE *out, struct error *error);

#endif
