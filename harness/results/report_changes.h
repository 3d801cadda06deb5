/* report_changes.h: what differs between the runs of a report and those that they are compared with. */
#ifndef RESULTS_REPORT_CHANGES_H
#define RESULTS_REPORT_CHANGES_H

#include "harness/results/changes.h"
#include "harness/results/report.h"

/* Compares the run of a device with the one before it. The sides and the changes are freed by report_changes_free(). */
struct report_changes {
    struct changes_side before, after;
    struct changes changes;
};

int report_changes_make(const struct report *report, const struct report_device *device, struct report_changes *out,
                        struct error *error);
void report_changes_free(struct report_changes *changes);

/* An array with an object a device that has a run before, as JSON. Table page_case is there. */
int report_changes_print(const struct report *report, FILE *out, struct error *error);

#endif
