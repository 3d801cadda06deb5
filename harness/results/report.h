/* report.h: what `assay report` says of databases: one report_NAME.c a form, listed in report.c. */
#ifndef RESULTS_REPORT_H
#define RESULTS_REPORT_H

#include "harness/results/history.h"

#include <stdio.h>

/* A device of the report, with the run that is shown and the one that it is compared with. */
struct report_device {
    struct history_run run, before; /* before.id 0: none */
};

struct report {
    struct history *history;      /* all databases as one */
    const char *const *databases; /* as given */
    size_t database_count;
    struct report_device *devices; /* in the order of their runs */
    size_t device_count;
};

/* Reads the databases. `baselines` are "DB#N", or "#N" where there is one database: that run is what the last one of its device
 * is compared with. EXIT_NO_MATCH for a run that is not there. */
int report_open(struct report *report, const char *const *databases, size_t count, const char *const *baselines,
                size_t baseline_count, struct error *error);
void report_close(struct report *report);

/* A form of report. The same databases give the same bytes. */
struct report_form {
    const char *name; /* its option: "html" */
    int (*write)(const struct report *report, FILE *out, struct error *error);
};

extern const struct report_form report_html, report_markdown, report_junit, report_csv, report_json;

/* All of them, ended by null. */
extern const struct report_form *const report_forms[];

#endif
