/* bundle.h: a file with which another party checks a claim of conformance: the results, and the statements that follow
 * from them. Hashes are XXH3: they find members that have changed by mistake, or that are another version. They do not
 * stop a forger; reports/CLAIMS.md says what does. */
#ifndef RESULTS_BUNDLE_H
#define RESULTS_BUNDLE_H

#include "harness/plan/plan.h"
#include "harness/results/bundle_zip.h"
#include "harness/results/history.h"
#include "harness/results/row.h"

/* The suite that made or checks a bundle. */
struct bundle_suite {
    uint64_t build, specs, cases; /* hashes of the program, the specs and the strategies */
    const char *cases_folder;     /* the mustpass lists in it, each with its hash, belong to the suite, too */
};

/* Makes the members of a bundle about the current state of the device of `run`. Free with bundle_data_free(), also
 * after an error. EXIT_USAGE: another version of assay made the run; EXIT_HARNESS: the database cannot be read. */
int bundle_make(struct history *history, const struct history_run *run, const struct bundle_suite *suite,
                struct bundle_data members[BUNDLE_MEMBERS], struct error *error);

struct bundle {
    struct bundle_data members[BUNDLE_MEMBERS];
    char folder[4096];       /* the folder of the results while they are read; bundle_close() removes it */
    struct history *history; /* the results */
    struct history_run run;  /* the run that the claim is about */
};

/* Reads a bundle. EXIT_HARNESS: the file is no bundle, is damaged, or its results are no database of assay. Call
 * bundle_close() in any case. */
int bundle_open(struct bundle *bundle, const char *path, struct error *error);
void bundle_close(struct bundle *bundle);

/* The members of a claim and of a suite in the manifest; ended by null. */
extern const char *const bundle_claim_members[], *const bundle_suite_members[];

/* Prints the claim with the numbers of known failures and of cases that did not run; then a line for each statement
 * that does not follow from the results, and for each part of the suite that differs here. Returns the number of these
 * lines, apart from the line about the build of the program, which differs on each machine; -1: an error has been set.
 */
int bundle_check(const struct bundle *bundle, const struct bundle_suite *suite, FILE *out, struct error *error);

/* Finds the names of cases in the results that a plan of the default cases lacks: other tiers of the suite may have
 * them. The caller frees the names and their array, also after an error. EXIT_HARNESS: one is no name of a case. */
int bundle_names_beyond(const struct bundle *bundle, const struct plan *plan, char ***names, size_t *count,
                        struct error *error);

/* Prints a line for each way in which the results differ from a plan: cases without a verdict among the first `whole`
 * ones, if the claim is about the whole plan; cases that the plan lacks; cases of another operator or feature level.
 * Returns the number of lines; -1: an error has been set. */
int bundle_check_plan(const struct bundle *bundle, const struct plan *plan, size_t whole, FILE *out,
                      struct error *error);

/* A case of the claim. */
struct bundle_case {
    char *name, *outcome;
    uint32_t statuses; /* bits of enum status: its status; if the claim has it as flaky, those of its attempts */
    uint64_t seed;     /* the seed of the run that the case is from */
};

/* Reads the statuses from a row of current_results that has the column BUNDLE_STATUSES. */
uint32_t bundle_statuses(struct row *row);
#define BUNDLE_STATUSES                                                                                                \
    "(SELECT group_concat(status) FROM result WHERE result.run_id = current_results.run_id AND "                       \
    "result.case_id = current_results.case_id) AS statuses"

/* Draws up to `count` cases that have a verdict, and sorts them by seed. A case that was skipped is one: a device that
 * cannot run it skips it again. The caller frees the cases with
 * bundle_sample_free(), also after an error. */
int bundle_sample(const struct bundle *bundle, size_t count, uint64_t seed, struct bundle_case **cases, size_t *drawn,
                  size_t *all, struct error *error);
void bundle_sample_free(struct bundle_case *cases, size_t count);

#endif
