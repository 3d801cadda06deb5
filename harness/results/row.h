/* row.h: rows of a query, with their columns read by name. */
#ifndef RESULTS_ROW_H
#define RESULTS_ROW_H

#include <stdbool.h>
#include <stdint.h>

enum { ROW_COLUMNS_MAX = 40, ROW_NAME_SIZE = 24 };

struct sqlite3;
struct sqlite3_stmt;

/* A prepared statement and the names of its columns. A zeroed row is closed. Statements may be bound and stepped with
 * SQLite's own functions. */
struct row {
    struct sqlite3_stmt *statement;
    int count; /* columns */
    int next;  /* the column after the one read last: where the next search starts */
    char names[ROW_COLUMNS_MAX][ROW_NAME_SIZE];
};

/* Prepares `sql`. Returns SQLite's result code; on an error the row is closed. Columns after the first ROW_COLUMNS_MAX
 * cannot be read by name. */
int row_prepare(struct row *row, struct sqlite3 *db, const char *sql);

/* Finalizes the statement. A closed row is allowed. */
void row_close(struct row *row);

/* These functions return the value of a column of the current row. An unknown name is a bug and aborts.
 * row_text() returns "" for NULL; the text is valid until the statement is stepped, reset or closed.
 * row_count() returns 0 for negative numbers. Numbers are 0 for NULL. */
const char *row_text(struct row *row, const char *name);
int64_t row_int(struct row *row, const char *name);
uint64_t row_count(struct row *row, const char *name);
double row_real(struct row *row, const char *name);
bool row_flag(struct row *row, const char *name); /* not 0 */
bool row_is_null(struct row *row, const char *name);

#endif
