#include "harness/record_row.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static const char *text(sqlite3_stmt *row, int column)
{
    const char *found = (const char *)sqlite3_column_text(row, column);
    return found ? found : "";
}

static uint64_t count(sqlite3_stmt *row, int column)
{
    int64_t found = sqlite3_column_int64(row, column);
    return found > 0 ? (uint64_t)found : 0;
}

static void copy(char *to, size_t size, sqlite3_stmt *row, int column)
{
    strncpy(to, text(row, column), size - 1);
}

static enum standing standing_find(const char *name)
{
    int standing = STANDING_COUNT - 1;
    while (standing > 0 && strcmp(standing_name((enum standing)standing), name) != 0)
        standing--;
    return (enum standing)standing;
}

void record_row(sqlite3_stmt *row, struct record *out)
{
    *out = (struct record){.case_name = text(row, 0),
                           .operator_name = text(row, 1),
                           .feature_level = text(row, 2),
                           .rule = text(row, 3),
                           .strength = text(row, 4),
                           .pages = text(row, 5),
                           .expected = text(row, 6),
                           .outcome = text(row, 7),
                           .message = text(row, 8),
                           .reproduce = text(row, 9),
                           .dump = "",
                           .status = status_find(text(row, 10)),
                           .slow = sqlite3_column_int(row, 11) != 0,
                           .kept = true,
                           .last = true,
                           .seed = strtoull(text(row, 12), NULL, 0),
                           .host_ns = count(row, 13),
                           .device_ns = count(row, 14),
                           .attempt = (unsigned)sqlite3_column_int(row, 20),
                           .flaky = sqlite3_column_int(row, 21) != 0,
                           .standing = standing_find(text(row, 22)),
                           .reason = text(row, 23),
                           .cause = cause_find(text(row, 24)),
                           .data_types = text(row, 25)};
    out->statuses = 1u << out->status;
    out->wrong.count = count(row, 15);
    copy(out->wrong.tensor, sizeof out->wrong.tensor, row, 16);
    copy(out->wrong.coordinates, sizeof out->wrong.coordinates, row, 17);
    copy(out->wrong.got, sizeof out->wrong.got, row, 18);
    copy(out->wrong.expected, sizeof out->wrong.expected, row, 19);
}
