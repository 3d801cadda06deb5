/* report.h: the reports of `assay report`. Each form of report is a file report_NAME.c, or a format of
 * `assay run` in report_formats.c; report.c lists them. */
#ifndef RESULTS_REPORT_H
#define RESULTS_REPORT_H

#include "harness/plan/plan.h"
#include "harness/results/history.h"

#include <stdio.h>

/* A device of the report: its last run that counts, which stands for the current state (history_state()), and the
 * baseline that it is compared with. */
struct report_device {
    struct history_run run, before; /* before.id is 0 if there is no baseline */
    bool given;                     /* the user named the baseline: that run alone is compared with the whole state */
    struct history_summary summary; /* the summary of the current state */
};

struct report {
    struct history *history;      /* all databases joined */
    const char *const *databases; /* the paths as the user gave them */
    size_t database_count;
    struct report_device *devices; /* sorted by run.id */
    size_t device_count;
    const struct spec_set *specs; /* for the page: assay's own specs, and the plan of all default cases; null: the page
                                   * has no texts from them */
    const struct plan *plan;
    const char *issues; /* for the page: the address of an issue, with {} in the place of its number; null: none */
};

/* Reads the databases; `databases` must outlive the report. Each of `baselines` names a run, "DB#N", or "#N" or "N" if
 * there is one database: the current run of its device is compared with it, not with the run before. EXIT_NO_MATCH: no
 * such run; EXIT_USAGE: a baseline that names no run; EXIT_HARNESS: a database cannot be read. Call report_close() in
 * any case. */
int report_open(struct report *report, const char *const *databases, size_t count, const char *const *baselines,
                size_t baseline_count, struct error *error);
void report_close(struct report *report);

/* Reads the state right after a run, so that history_state_before() and similar functions find it: otherwise they find
 * only the current states. */
int report_keep_state(const struct report *report, int64_t as_of, struct error *error);

/* A form of report. The same databases always give the same bytes. write() returns 0 or EXIT_HARNESS; the caller checks
 * `out` for errors. */
struct report_form {
    const char *name; /* the name of its option: "html" */
    int (*write)(const struct report *report, FILE *out, struct error *error);
};

extern const struct report_form report_html, report_markdown, report_junit, report_csv, report_json, report_causes,
    report_github, report_codequality;

/* All forms, ended by null. */
extern const struct report_form *const report_forms[];

#endif
