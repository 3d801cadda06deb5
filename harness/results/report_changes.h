/* report_changes.h: compares the runs of a report with their baselines. */
#ifndef RESULTS_REPORT_CHANGES_H
#define RESULTS_REPORT_CHANGES_H

#include "harness/results/changes.h"
#include "harness/results/report.h"

/* Compares the run of a device with its baseline. Free with report_changes_free(), also after an error. 0 or
 * EXIT_HARNESS. */
struct report_changes {
    struct changes_side before, after;
    struct changes changes;
};

int report_changes_make(const struct report *report, const struct report_device *device, struct report_changes *out,
                        struct error *error);
void report_changes_free(struct report_changes *changes);

/* Prints a JSON array with one object per device that has a baseline. The temporary table page_case must exist. */
int report_changes_print(const struct report *report, FILE *out, struct error *error);

#endif
