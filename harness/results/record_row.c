#include "harness/results/record_row.h"
#include "harness/results/row.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static uint64_t count(sqlite3_stmt *row, int column)
{
    int64_t found = sqlite3_column_int64(row, column);
    return found > 0 ? (uint64_t)found : 0;
}

static void copy(char *to, size_t size, sqlite3_stmt *row, int column)
{
    strncpy(to, row_text(row, column), size - 1);
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
    *out = (struct record){.case_name = row_text(row, 0),
                           .operator_name = row_text(row, 1),
                           .feature_level = row_text(row, 2),
                           .rule = row_text(row, 3),
                           .strength = row_text(row, 4),
                           .pages = row_text(row, 5),
                           .expected = row_text(row, 6),
                           .outcome = row_text(row, 7),
                           .message = row_text(row, 8),
                           .reproduce = row_text(row, 9),
                           .dump = "",
                           .status = status_find(row_text(row, 10)),
                           .slow = sqlite3_column_int(row, 11) != 0,
                           .kept = true,
                           .last = true,
                           .seed = strtoull(row_text(row, 12), NULL, 0),
                           .host_ns = count(row, 13),
                           .device_ns = count(row, 14),
                           .attempt = (unsigned)sqlite3_column_int(row, 20),
                           .flaky = sqlite3_column_int(row, 21) != 0,
                           .standing = standing_find(row_text(row, 22)),
                           .reason = row_text(row, 23),
                           .cause = cause_find(row_text(row, 24)),
                           .data_types = row_text(row, 25)};
    out->statuses = 1u << out->status;
    out->wrong.count = count(row, 15);
    copy(out->wrong.tensor, sizeof out->wrong.tensor, row, 16);
    copy(out->wrong.coordinates, sizeof out->wrong.coordinates, row, 17);
    copy(out->wrong.got, sizeof out->wrong.got, row, 18);
    copy(out->wrong.expected, sizeof out->wrong.expected, row, 19);
}
