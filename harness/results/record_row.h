/* record_row.h: records in the database: the columns of table detail, and records read back from view results. */
#ifndef RESULTS_RECORD_ROW_H
#define RESULTS_RECORD_ROW_H

#include "harness/results/row.h"
#include "harness/run/record.h"

#include <stddef.h>

/* The columns of table detail after run, case and attempt: COLUMN(name, kind, member of struct record, in JSON lines).
 * A new column of a result is a member of the record, its line here, its column in reports/schema.sql (in the table,
 * and at the end of the view), and the code that decides its value; the store, the reader and JSON lines follow this
 * list. reports/lines.schema.json describes a column that is in JSON lines. The dashboard shows it if reports/dashboard
 * has it in data.sql, data.schema.json and panel.js, and in its test's dashboard_data.py. report_csv.c and
 * reports/README.md list the columns, too. A change of the schema raises the version in reports/schema.sql and
 * schema_version.h. */
/* clang-format off */
#define RECORD_COLUMNS(COLUMN) \
    COLUMN(message, TEXT, message, JSON) \
    COLUMN(wrong_count, COUNT, symptoms.wrong.count, NO_JSON) \
    COLUMN(wrong_tensor, CHARS, symptoms.wrong.tensor, NO_JSON) \
    COLUMN(wrong_coordinates, CHARS, symptoms.wrong.coordinates, NO_JSON) \
    COLUMN(wrong_got, CHARS, symptoms.wrong.got, NO_JSON) \
    COLUMN(wrong_expected, CHARS, symptoms.wrong.expected, NO_JSON) \
    COLUMN(reproduce, TEXT, reproduce, JSON) \
    COLUMN(flaky, FLAG, flaky, JSON) \
    COLUMN(expectation, STANDING, standing, JSON) \
    COLUMN(reason, TEXT, reason, JSON) \
    COLUMN(cause, CAUSE, verdict.cause, JSON) \
    COLUMN(broken, TEXT, broken, JSON) \
    COLUMN(explanations, DIAGNOSIS, symptoms.diagnosis, JSON) \
    COLUMN(shared, CHARS, symptoms.diagnosis.shared, JSON) \
    COLUMN(wrong_elements, SMALL_COUNT, symptoms.diagnosis.wrong_elements, JSON) \
    COLUMN(printed, TEXT, printed, JSON_IF_ANY) \
    COLUMN(wrong_inputs, CHARS, symptoms.wrong.inputs, NO_JSON) \
    COLUMN(error_place, CHARS, symptoms.error_place, JSON_IF_ANY)
/* clang-format on */

enum record_column_kind {
    RECORD_TEXT,        /* const char *, which may be null */
    RECORD_CHARS,       /* an array of characters */
    RECORD_COUNT,       /* uint64_t */
    RECORD_SMALL_COUNT, /* uint32_t */
    RECORD_FLAG,        /* bool */
    RECORD_STANDING,    /* enum standing, by its name */
    RECORD_CAUSE,       /* enum cause, by its name */
    RECORD_DIAGNOSIS    /* the names of its explanations */
};

enum record_column_json { RECORD_NO_JSON, RECORD_JSON, RECORD_JSON_IF_ANY /* if the text is not empty */ };

extern const struct record_column {
    const char *name;
    enum record_column_kind kind;
    enum record_column_json json;
    size_t offset, size; /* the offset and size of the member of struct record, in bytes */
} record_columns[];
extern const int record_column_count;

/* A value of such a column. */
struct record_value {
    const char *text; /* null: `number` is the value */
    uint64_t number;
    char buffer[512]; /* may hold the text */
};
void record_value(const struct record *record, const struct record_column *column, struct record_value *out);

#define RECORD_COLUMN_NAME(name, kind, member, json) ", " #name

/* The columns that record_row() reads. A query on view results selects them; it may select more. */
#define RECORD_ROW                                                                                                     \
    "case_name, operator, feature_level, data_types, rule, strength, pages, expected, expects, outcome, status, "      \
    "slow, "                                                                                                           \
    "seed, host_ns, device_ns, attempt, error_ulps, error_share" RECORD_COLUMNS(RECORD_COLUMN_NAME)

/* Fills in the record of the current row. Its text is valid until the statement is stepped. The caller sets `device`.
 * `statuses` holds the status of the last attempt alone. */
void record_row(struct row *row, struct record *out);

#endif
