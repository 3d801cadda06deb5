#include "harness/results/row.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int row_prepare(struct row *row, sqlite3 *db, const char *sql)
{
    row->statement = NULL;
    row->count = row->next = 0;
    int code = sqlite3_prepare_v2(db, sql, -1, &row->statement, NULL);
    int count = sqlite3_column_count(row->statement);
    row->count = count < ROW_COLUMNS_MAX ? count : ROW_COLUMNS_MAX;
    for (int i = 0; i < row->count; i++) {
        /* SQLite may free its own copies of the names when it prepares the statement again. */
        const char *name = sqlite3_column_name(row->statement, i);
        snprintf(row->names[i], ROW_NAME_SIZE, "%s", name ? name : "");
    }
    return code;
}

void row_close(struct row *row)
{
    sqlite3_finalize(row->statement);
    row->statement = NULL;
    row->count = 0;
}

/* Returns the index of a column. Most readers take the columns in the order of the query: then the first comparison
 * finds the name. */
static int column_of(struct row *row, const char *name)
{
    for (int tried = 0, i = row->next; tried < row->count; tried++, i++) {
        i = i < row->count ? i : 0;
        if (strcmp(row->names[i], name) == 0) {
            row->next = i + 1;
            return i;
        }
    }
    fprintf(stderr, "assay: a query has no column %s\n", name);
    abort();
}

const char *row_text(struct row *row, const char *name)
{
    const char *text = (const char *)sqlite3_column_text(row->statement, column_of(row, name));
    return text ? text : "";
}

int64_t row_int(struct row *row, const char *name)
{
    return sqlite3_column_int64(row->statement, column_of(row, name));
}

uint64_t row_count(struct row *row, const char *name)
{
    int64_t count = row_int(row, name);
    return count > 0 ? (uint64_t)count : 0;
}

double row_real(struct row *row, const char *name)
{
    return sqlite3_column_double(row->statement, column_of(row, name));
}

bool row_flag(struct row *row, const char *name)
{
    return row_int(row, name) != 0;
}

bool row_is_null(struct row *row, const char *name)
{
    return sqlite3_column_type(row->statement, column_of(row, name)) == SQLITE_NULL;
}
