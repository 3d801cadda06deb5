#include "harness/results/record_row.h"

#include <stdlib.h>
#include <string.h>

/* `to` is zeroed. */
static void record_row_copy(char *to, size_t size, const char *text)
{
    strncpy(to, text, size - 1);
}

void record_row(struct row *row, struct record *out)
{
    *out = (struct record){.case_name = row_text(row, "case_name"),
                           .operator_name = row_text(row, "operator"),
                           .feature_level = row_text(row, "feature_level"),
                           .data_types = row_text(row, "data_types"),
                           .rule = row_text(row, "rule"),
                           .broken = row_text(row, "broken"),
                           .explanations = row_text(row, "explanations"),
                           .shared = row_text(row, "shared"),
                           .wrong_elements = row_count(row, "wrong_elements"),
                           .strength = row_text(row, "strength"),
                           .pages = row_text(row, "pages"),
                           .expected = row_text(row, "expected"),
                           .expects = expectation_find(row_text(row, "expects")),
                           .outcome = row_text(row, "outcome"),
                           .message = row_text(row, "message"),
                           .reproduce = row_text(row, "reproduce"),
                           .dump = "",
                           .printed = row_text(row, "printed"),
                           .status = status_find(row_text(row, "status")),
                           .slow = row_flag(row, "slow"),
                           .kept = true,
                           .last = true,
                           .seed = strtoull(row_text(row, "seed"), NULL, 0),
                           .host_ns = row_count(row, "host_ns"),
                           .device_ns = row_count(row, "device_ns"),
                           .error = {.ulps = row_real(row, "error_ulps"),
                                     .share = row_real(row, "error_share"),
                                     .measured = !row_is_null(row, "error_share")},
                           .attempt = (unsigned)row_int(row, "attempt"),
                           .flaky = row_flag(row, "flaky"),
                           .standing = standing_find(row_text(row, "expectation")),
                           .reason = row_text(row, "reason"),
                           .cause = cause_find(row_text(row, "cause"))};
    out->statuses = 1u << out->status;
    out->wrong.count = row_count(row, "wrong_count");
    record_row_copy(out->wrong.tensor, sizeof out->wrong.tensor, row_text(row, "wrong_tensor"));
    record_row_copy(out->wrong.coordinates, sizeof out->wrong.coordinates, row_text(row, "wrong_coordinates"));
    record_row_copy(out->wrong.got, sizeof out->wrong.got, row_text(row, "wrong_got"));
    record_row_copy(out->wrong.expected, sizeof out->wrong.expected, row_text(row, "wrong_expected"));
}
