/* row.h: what stands in a row that SQLite gives. */
#ifndef RESULTS_ROW_H
#define RESULTS_ROW_H

struct sqlite3_stmt;

/* The text of a column, "" where there is none. It lives until the statement goes on. */
const char *row_text(struct sqlite3_stmt *row, int column);

#endif
