/* report_causes.h: the failures in the current state of a device, grouped by cause. */
#ifndef RESULTS_REPORT_CAUSES_H
#define RESULTS_REPORT_CAUSES_H

#include "harness/results/report.h"
#include "harness/run/causes.h"

/* The groups of one device, and the data that their text points into. */
struct report_causes {
    struct cause_group *groups;
    size_t count;
    struct causes causes;
    struct cause_case *cases;
    size_t case_count;
};

/* Reads the current state of the device whose last run is `as_of`, and groups its failures and warnings (causes.h).
 * EXIT_HARNESS: the database cannot be
 * read, or memory runs out. Call report_causes_free() in either case. */
int report_causes_read(const struct report *report, int64_t as_of, struct report_causes *out, struct error *error);
void report_causes_free(struct report_causes *causes);

/* Prints the groups of all devices as a JSON array. The temporary tables page_case and page_trend must exist. */
int report_causes_print_json(const struct report *report, FILE *out, struct error *error);

#endif
