/* copy_rows.h: copies rows of a history into a database of this program, with new ids. The columns are those of the
 * target's schema; foreign keys have known names (run_id, case_id, …). Text is made safe to print. */
#ifndef RESULTS_COPY_ROWS_H
#define RESULTS_COPY_ROWS_H

#include "harness/results/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The tables whose ids other tables refer to. */
enum copy_key { COPY_RUN, COPY_CASE, COPY_JUDGEMENT, COPY_HUNT, COPY_DEVICE, COPY_KEYS };

/* The new ids of rows that were copied. */
struct copy_ids {
    struct copy_id {
        int64_t from, to;
    } * items; /* sorted by `from` */
    size_t count, room;
};

struct copy {
    struct history *from;
    struct sqlite3 *to;
    struct copy_ids ids[COPY_KEYS];
};

/* Copies the rows of a table for which `where` holds, a condition with ?1 = `parameter`; null: all rows. A row that
 * equals an existing one in the columns that identify it is not added again. Ids are noted in `ids`. A table that the
 * history does not have has no rows. Errors are EXIT_HARNESS. */
int copy_rows(struct copy *copy, const char *table, const char *where, int64_t parameter, struct error *error);

/* Notes that row `from` of the history is row `to` of the database. False: out of memory. */
bool copy_add_id(struct copy *copy, enum copy_key key, int64_t from, int64_t to);

/* Frees the ids. */
void copy_free(struct copy *copy);

#endif
