/* sql.h: the databases that tests read and damage. */
#ifndef SQL_H
#define SQL_H

#include "tools/tap.h"

#include <sqlite3.h>
#include <stdio.h>

/* Returns all rows of a query, columns joined by | and rows by \n; or the error. */
__attribute__((unused)) static const char *sql_ask(sqlite3 *db, const char *sql)
{
    static char text[8192];
    sqlite3_stmt *statement = NULL;
    size_t used = 0;
    int code = SQLITE_DONE;
    *text = '\0';
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        snprintf(text, sizeof text, "error: %s", sqlite3_errmsg(db));
    while (statement && (code = sqlite3_step(statement)) == SQLITE_ROW && used < sizeof text - 1)
        for (int i = 0; i < sqlite3_column_count(statement) && used < sizeof text - 1; i++) {
            const char *cell = (const char *)sqlite3_column_text(statement, i), *before = used ? "\n" : "";
            if (i)
                before = "|";
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", before, cell ? cell : "NULL");
        }
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        snprintf(text, sizeof text, "error: %s", sqlite3_errmsg(db));
    sqlite3_finalize(statement);
    return text;
}

__attribute__((unused)) static void sql_alter(const char *path, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;
    if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        note("%s: %s", sql, message ? message : "cannot be opened");
    sqlite3_free(message);
    sqlite3_close(db);
}

#endif
