#include "harness/results/record_row.h"

#include "harness/trial/explain.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof((struct record_value *)0)->buffer >= EXPLANATIONS_SIZE, "a value has room for explanations");

#define COLUMN(name, kind, member, json)                                                                               \
    {#name, RECORD_##kind, RECORD_##json, offsetof(struct record, member), sizeof((struct record *)0)->member},
const struct record_column record_columns[] = {RECORD_COLUMNS(COLUMN)};
const int record_column_count = sizeof record_columns / sizeof *record_columns;

void record_value(const struct record *record, const struct record_column *column, struct record_value *out)
{
    const void *member = (const char *)record + column->offset;
    out->text = NULL;
    switch (column->kind) {
    case RECORD_TEXT:
        out->text = record_text(*(const char *const *)member);
        break;
    case RECORD_CHARS:
        out->text = member;
        break;
    case RECORD_COUNT:
        out->number = *(const uint64_t *)member;
        break;
    case RECORD_SMALL_COUNT:
        out->number = *(const uint32_t *)member;
        break;
    case RECORD_FLAG:
        out->number = *(const bool *)member;
        break;
    case RECORD_STANDING:
        out->text = standing_name(*(const enum standing *)member);
        break;
    case RECORD_CAUSE:
        out->text = cause_name(*(const enum cause *)member);
        break;
    case RECORD_DIAGNOSIS:
        out->text = explanations_print(member, out->buffer);
        break;
    }
}

static void read_column(struct row *row, const struct record_column *column, struct record *out)
{
    void *member = (char *)out + column->offset;
    switch (column->kind) {
    case RECORD_TEXT:
        *(const char **)member = row_text(row, column->name);
        break;
    case RECORD_CHARS:
        strncpy(member, row_text(row, column->name), column->size - 1);
        break;
    case RECORD_COUNT:
        *(uint64_t *)member = row_count(row, column->name);
        break;
    case RECORD_SMALL_COUNT:
        *(uint32_t *)member = (uint32_t)row_count(row, column->name);
        break;
    case RECORD_FLAG:
        *(bool *)member = row_flag(row, column->name);
        break;
    case RECORD_STANDING:
        *(enum standing *)member = standing_find(row_text(row, column->name));
        break;
    case RECORD_CAUSE:
        *(enum cause *)member = cause_find(row_text(row, column->name));
        break;
    case RECORD_DIAGNOSIS:
        explanations_parse(row_text(row, column->name), member);
        break;
    }
}

void record_row(struct row *row, struct record *out)
{
    *out = (struct record){.case_name = row_text(row, "case_name"),
                           .operator_name = row_text(row, "operator"),
                           .feature_level = row_text(row, "feature_level"),
                           .data_types = row_text(row, "data_types"),
                           .rule = row_text(row, "rule"),
                           .strength = row_text(row, "strength"),
                           .pages = row_text(row, "pages"),
                           .expected = row_text(row, "expected"),
                           .expects = expectation_find(row_text(row, "expects")),
                           .outcome = row_text(row, "outcome"),
                           .dump = "",
                           .verdict = {.status = status_find(row_text(row, "status")),
                                       .host_ns = row_count(row, "host_ns"),
                                       .device_ns = row_count(row, "device_ns"),
                                       .error = {.ulps = row_real(row, "error_ulps"),
                                                 .share = row_real(row, "error_share"),
                                                 .measured = !row_is_null(row, "error_share")}},
                           .slow = row_flag(row, "slow"),
                           .kept = true,
                           .last = true,
                           .seed = strtoull(row_text(row, "seed"), NULL, 0),
                           .attempt = (unsigned)row_int(row, "attempt")};
    for (int i = 0; i < record_column_count; i++)
        read_column(row, &record_columns[i], out);
    out->statuses = 1u << out->verdict.status;
}
