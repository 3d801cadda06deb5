/* report_causes.h: the failures of a stored run, grouped by cause. */
#ifndef RESULTS_REPORT_CAUSES_H
#define RESULTS_REPORT_CAUSES_H

#include "harness/results/report.h"
#include "harness/run/causes.h"

/* The groups of one run, and what their text points into. */
struct report_causes {
    struct cause_group *groups;
    size_t count;
    struct causes causes;
    struct cause_case *cases;
    size_t case_count;
};

/* Reads the results of a run and groups its failures and warnings (causes.h). EXIT_HARNESS: the database cannot be
 * read, or memory runs out. Call report_causes_free() in either case. */
int report_causes_read(const struct report *report, int64_t run_id, struct report_causes *out, struct error *error);
void report_causes_free(struct report_causes *causes);

#endif
