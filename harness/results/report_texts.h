/* report_texts.h: the texts on the page of a report that come from assay's own specs, not from the databases: the texts
 * of rules and rulings, and the descriptions of cases. */
#ifndef RESULTS_REPORT_TEXTS_H
#define RESULTS_REPORT_TEXTS_H

#include "harness/results/report.h"

/* Prints one JSON object: the texts of the rules, rulings and sentences of device.h that results name, and the
 * description and contents of each case of which the page has details. The object is empty if the report has no specs.
 * The temporary tables of data.sql must exist. 0 or EXIT_HARNESS. */
int report_texts_print_json(const struct report *report, FILE *out, struct error *error);

#endif
