#include "harness/results/row.h"

#include <sqlite3.h>

const char *row_text(sqlite3_stmt *row, int column)
{
    const char *found = (const char *)sqlite3_column_text(row, column);
    return found ? found : "";
}
