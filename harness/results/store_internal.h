/* store_internal.h: types and functions that the files of the store share. */
#ifndef RESULTS_STORE_INTERNAL_H
#define RESULTS_STORE_INTERNAL_H

#include "harness/base/nametable.h"
#include "harness/results/guard.h"
#include "harness/results/row.h"
#include "harness/results/store.h"

#include <sqlite3.h>

/* The columns of table judgement that identify a row. */
#define JUDGEMENT_COLUMNS "rule, strength, pages, expects, expected, outcome"
enum { JUDGEMENT_TEXTS = 6 };

/* Statements that are prepared once, when the database is opened. */
enum store_statement {
    STORE_BEGIN,
    STORE_COMMIT,
    STORE_FIND_CASE,
    STORE_ADD_CASE,
    STORE_FIND_JUDGEMENT,
    STORE_ADD_JUDGEMENT,
    STORE_ADD_RESULT,
    STORE_ADD_RESULTS, /* STORE_ROWS of them */
    STORE_ADD_DETAIL,
    STORE_LAST_ATTEMPT,
    STORE_ADD_SAMPLE,
    STORE_ADD_SHARE,
    STORE_STATEMENTS
};

extern const char *const store_statement_sql[STORE_STATEMENTS];

/* The call of `assay run` that runs belong to. */
struct store_invocation {
    int64_t id;       /* 0: none */
    int64_t last_run; /* the last run that was begun or resumed in the call */
    bool resumed, force;
};

enum { STORE_ROWS = 16 };

/* A row of table result. */
struct store_result {
    int64_t run_id, case_id, attempt, judgement_id;
    enum status status;
    bool slow;
    uint64_t host_ns, device_ns, seed;
    struct largest_error error;
};

struct store {
    char *path;
    int lock; /* a descriptor of the file, locked against a second assay; closed after `db` */
    sqlite3 *db;
    sqlite3_stmt *statements[STORE_STATEMENTS];
    int64_t run_id; /* 0: none */
    struct {
        int64_t run, case_id, attempt;
    } last;                               /* the result added last: the attempts at a case come one after the other */
    struct store_result rows[STORE_ROWS]; /* results that have been added, but are not in the table yet */
    int row_count;
    struct store_invocation invocation;
    int64_t committed_ms;        /* time of the last commit */
    struct nametable cases;      /* ids of the cases seen so far */
    struct nametable judgements; /* ids of the judgements seen so far */
    bool all_cases_seen;         /* `cases` holds every case of the database */
    bool created;                /* the file did not exist before */
    bool in_batch;               /* a transaction is open */
    bool broken;                 /* a write failed; the error has been reported */
};

/* Reports SQLite's last error as EXIT_HARNESS. Nothing more is written. */
int store_fail(struct store *store, struct error *error);

/* Runs SQL without results. */
int store_execute(struct store *store, const char *sql, struct error *error);

/* Returns the milliseconds of a monotonic clock. */
int64_t store_now_ms(void);

/* Binds text with control characters and invalid UTF-8 escaped; null is "". The text must live until the statement is
 * stepped. */
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);

/* Binds all 64 bits, as a signed number. */
void store_bind_bits(sqlite3_stmt *statement, int index, uint64_t bits);

/* Binds a count; counts above INT64_MAX become INT64_MAX. */
void store_bind_count(sqlite3_stmt *statement, int index, uint64_t count);

/* The columns of table run that struct origin fills in, and the binding of as many parameters from `index` on; null:
 * nothing is known. */
#define STORE_ORIGIN_COLUMNS "device_hash, device_build, machine, cpu, label, revision, branch"
enum { STORE_ORIGIN_TEXTS = 7 };
void store_bind_origin(sqlite3_stmt *statement, int index, const struct origin *origin);

/* Begins a batch of rows, unless one is open, and writes the rows that have been added to the tables. store_flush()
 * commits it, store_abandon() rolls it back. */
int store_begin(struct store *store, struct error *error);
void store_abandon(struct store *store);

/* Resumes the next run of a resumed invocation, for store_begin_run(). `*run_id` is 0 if the invocation has no more
 * runs. */
int store_resume_run(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error);

#endif
