/* guard.h: guards every connection to a database that may be a stranger's. The schema must be that of assay to the
 * letter: a view or a trigger of another author might never end, or read data that nobody asked for. The contents of
 * the file cannot make a query run without end. */
#ifndef RESULTS_GUARD_H
#define RESULTS_GUARD_H

#include "harness/base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

/* A time limit for the queries of a connection. The struct must not move while it is in use. */
struct guard {
    struct sqlite3 *db;
    uint64_t limit_ns, used_ns; /* CPU time of this thread: the limit, and the time of the queries that ended */
    uint64_t since_ns;          /* the begin of the first query that has not ended */
    uint64_t steps;             /* steps of SQLite's virtual machine that queries took, without the last few of each */
};

/* Switches off SQLite's count of its memory, which nothing asks for and each allocation pays for. Call it at most once,
 * before anything else of SQLite. */
void guard_begin_library(void);

/* Limits the lengths of values, and the functions that the schema may call, and switches on SQLite's checks of the
 * file. Call it before the first query. */
void guard_settings(struct sqlite3 *db);

/* Limits the CPU time of all queries together until guard_end(): 20 s, and a second more for each MiB of the file. A
 * query that takes longer ends with SQLITE_INTERRUPT. The time of the thread between queries does not count. */
void guard_begin(struct guard *guard, struct sqlite3 *db);
void guard_end(struct guard *guard);

/* Checks that the tables, views and indexes are exactly those of assay, the optional ones of searches and mutants
 * included, and that the schema has no other objects. Returns EXIT_HARNESS if not. `path` is for messages. */
int guard_check_schema(struct sqlite3 *db, const char *path, struct error *error);

/* Checks that every page, row and value of the file is as the schema says. Returns EXIT_HARNESS if not. The check takes
 * some milliseconds for each MiB; a file of more than 256 MiB is not read. */
int guard_check_content(struct sqlite3 *db, const char *path, struct error *error);

/* Returns SQLite's last message. If a query took longer than its time limit, the message says so. */
const char *guard_message(struct sqlite3 *db);

#endif
