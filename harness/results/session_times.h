/* session_times.h: the time that each case of a run took last time. It serves to estimate the part of the run that is
 * done. */
#ifndef RESULTS_SESSION_TIMES_H
#define RESULTS_SESSION_TIMES_H

#include "harness/plan/plan.h"
#include "harness/results/reporters.h"
#include "harness/results/store.h"

struct session_times {
    double *ns; /* per case of the plan; null: not known */
    double all, done,
        recalled; /* sums in ns: of all cases, finished ones, ones finished by an earlier part of the run */
};

/* Takes the times from the last run of the device in the store; cases that it lacks get the mean. `times` is zeroed
 * before. Free with session_times_free(). */
void session_times_load(struct session_times *times, struct store *store, const struct plan *plan, const char *device);
void session_times_free(struct session_times *times);

/* Counts a case as done (`recalled`: by an earlier part of the run) and passes the progress on to the reporters. */
void session_times_add(struct session_times *times, size_t index, bool recalled, struct reporters *reporters);

#endif
