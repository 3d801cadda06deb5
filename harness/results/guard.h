/* guard.h: what every connection to a database needs that may be a stranger's. Its schema must be ours to the letter:
 * a view or a trigger that somebody else wrote might never end, or read what nobody asked for. Whatever the pages of
 * the file hold, no query runs without end. */
#ifndef RESULTS_GUARD_H
#define RESULTS_GUARD_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

/* A time limit for the queries of a connection. It must not move while it is in use. */
struct guard {
    struct sqlite3 *db;
    uint64_t limit_ns, used_ns; /* CPU time of this thread: what queries may take, and what they took, */
    uint64_t since_ns;          /* but for those that have not ended: the first of them began then */
    uint64_t steps;             /* of SQLite's virtual machine that they took, without the last some of each query */
};

/* Before the first query: limits the lengths of values, and what the schema may call; the file is read through SQLite's
 * checks. */
void guard_settings(struct sqlite3 *db);

/* From now until guard_end(), all queries together may take some CPU time: 20 s, and a second more for each MiB of the
 * file. A query that takes longer ends with SQLITE_INTERRUPT. What the thread does between queries does not count. */
void guard_begin(struct guard *guard, struct sqlite3 *db);
void guard_end(struct guard *guard);

/* EXIT_HARNESS unless the tables, views and indexes are exactly those of assay, the optional ones of searches and
 * mutants included, and nothing else is there. `path` is for messages. */
int guard_check_schema(struct sqlite3 *db, const char *path, struct error *error);

/* Whether every page, row and value of the file is as the schema says. Takes some milliseconds for each MiB; a file of
 * more than 256 MiB is not read. */
int guard_check_content(struct sqlite3 *db, const char *path, struct error *error);

/* SQLite's last message, in words that say what a limit of ours means. */
const char *guard_message(struct sqlite3 *db);

#endif
