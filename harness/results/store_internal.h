/* store_internal.h: what the files of the store share. */
#ifndef RESULTS_STORE_INTERNAL_H
#define RESULTS_STORE_INTERNAL_H

#include "harness/results/store.h"

#include <sqlite3.h>

/* The call of `assay run` that runs belong to. */
struct store_invocation {
    int64_t id;       /* 0: none */
    int64_t last_run; /* that was begun or taken up in it */
    bool resumed, force;
};

struct store_invocation *store_invocation_of(struct store *store);
int64_t store_run_of(const struct store *store); /* 0: none */
const char *store_path_of(const struct store *store);

/* Says what SQLite complains of; nothing more is written. */
int store_fail(struct store *store, struct error *error);

/* Makes text one line that is safe to print, and binds it. It must live until the statement is stepped. */
void store_bind_text(sqlite3_stmt *statement, int index, const char *text);

/* Takes back the batch that is open. */
void store_abandon(struct store *store);

/* Opens a batch of rows, if none is open. */
int store_begin(struct store *store, struct error *error);

/* For store_begin_run(): the run of a resumed invocation that comes next; `*run_id` is 0 if there is none. */
int store_take_up(struct store *store, const struct store_run *run, int64_t *run_id, struct error *error);

#endif
