#include "harness/run/record.h"

const char *standing_name(enum standing standing)
{
    return standing == STANDING_EXPECTED ? "expected" : standing == STANDING_UNEXPECTED ? "unexpected" : "";
}

bool record_is_failure(const struct record *record)
{
    if (record->standing != STANDING_NONE)
        return record->standing == STANDING_UNEXPECTED;
    return record->flaky || status_is_failure(record->status);
}

void record_add(struct record_total *total, const struct record *record)
{
    bool bad = record->flaky || status_is_failure(record->status);
    total->counts[record->status]++;
    total->failures += record_is_failure(record);
    total->expected += record->standing == STANDING_EXPECTED && bad;
    total->unexpected += record->standing == STANDING_UNEXPECTED;
    total->flaky += record->flaky;
}

void record_add_total(struct record_total *total, const struct record_total *other)
{
    for (int status = 0; status < STATUS_COUNT; status++)
        total->counts[status] += other->counts[status];
    total->failures += other->failures;
    total->expected += other->expected;
    total->unexpected += other->unexpected;
    total->flaky += other->flaky;
}
