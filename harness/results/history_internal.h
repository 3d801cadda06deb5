/* history_internal.h: a struct and functions that the files of the history share. */
#ifndef RESULTS_HISTORY_INTERNAL_H
#define RESULTS_HISTORY_INTERNAL_H

#include "harness/base/pool.h"
#include "harness/results/guard.h"
#include "harness/results/history.h"

#include <sqlite3.h>

struct history {
    const char *path;
    sqlite3 *db;
    struct guard guard;
    struct pool pool; /* text of the runs that were read */
};

/* Reports SQLite's last error as EXIT_HARNESS. */
int history_fail(const struct history *h, struct error *error);

/* Reads the first column of the first row of a query; 0: it has no row. ?1 is `name`, unless null. */
int history_number(const struct history *h, const char *sql, const char *name, int64_t *out, struct error *error);

#endif
