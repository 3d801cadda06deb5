/* bundle.h: what another party needs to check a claim of conformance, in one file: the results, and what follows from
 * them. Hashes are XXH3: they find what has changed by mistake, or is another version. They do not stop a forger; what
 * holds a claim against the device is the sample that `assay bundle --verify` runs again. */
#ifndef RESULTS_BUNDLE_H
#define RESULTS_BUNDLE_H

#include "harness/results/bundle_zip.h"
#include "harness/results/history.h"
#include "harness/results/row.h"

/* The suite that made or checks a bundle. */
struct bundle_suite {
    uint64_t build, specs, cases; /* hashes of the program, the specs and the strategies */
    const char *cases_folder;     /* its mustpass lists, each with its hash, belong to the suite, too */
};

/* Makes the members of a bundle about the current state of the device of `run`. Free with bundle_data_free(), also
 * after an error. EXIT_USAGE: another version of assay made the run; EXIT_HARNESS: the database cannot be read. */
int bundle_make(struct history *history, const struct history_run *run, const struct bundle_suite *suite,
                struct bundle_data members[BUNDLE_MEMBERS], struct error *error);

struct bundle {
    struct bundle_data members[BUNDLE_MEMBERS];
    char folder[4096];       /* of the results while they are read; removed by bundle_close() */
    struct history *history; /* the results */
    struct history_run run;  /* that the claim is about */
};

/* Reads a bundle. EXIT_HARNESS: it is none, is damaged, or its results are no database of assay. bundle_close() in
 * any case. */
int bundle_open(struct bundle *bundle, const char *path, struct error *error);
void bundle_close(struct bundle *bundle);

/* Prints a line for each thing that does not follow from the results, and for each part of the suite that is another
 * one here. Returns how many there are, apart from the build of the program, which each machine has its own of; -1: an
 * error has been set. */
int bundle_check(const struct bundle *bundle, const struct bundle_suite *suite, FILE *out, struct error *error);

/* A case of the claim. */
struct bundle_case {
    char *name, *outcome;
    uint32_t statuses; /* of its attempts, bits of enum status: more than one if it is flaky */
    uint64_t seed;     /* of the run that it is from */
};

/* Reads them from a row that has BUNDLE_STATUSES, a column of current_results. */
uint32_t bundle_statuses(struct row *row);
#define BUNDLE_STATUSES                                                                                                \
    "(SELECT group_concat(status) FROM result WHERE result.run_id = current_results.run_id AND "                       \
    "result.case_id = current_results.case_id) AS statuses"

/* Draws up to `count` cases that the claim's device ran, without those from files of cases; they are sorted by seed.
 * One that was skipped, perhaps as it hangs the device, is none of them.
 * The caller frees them with bundle_sample_free(), also after an error. */
int bundle_sample(const struct bundle *bundle, size_t count, uint64_t seed, struct bundle_case **cases, size_t *drawn,
                  size_t *all, struct error *error);
void bundle_sample_free(struct bundle_case *cases, size_t count);

#endif
