#include "harness/run/record.h"

#include "harness/spec/outcome.h"
#include "harness/trial/explain.h"

#include <stdio.h>
#include <string.h>

const char *standing_name(enum standing standing)
{
    static const char *const names[STANDING_COUNT] = {
        [STANDING_NONE] = "", [STANDING_EXPECTED] = "expected", [STANDING_UNEXPECTED] = "unexpected"};
    return standing < STANDING_COUNT ? names[standing] : "";
}

enum standing standing_find(const char *name)
{
    int standing = STANDING_COUNT - 1;
    while (standing > STANDING_NONE && strcmp(standing_name((enum standing)standing), name) != 0)
        standing--;
    return (enum standing)standing;
}

static const char *const expectation_names[] = {[EXPECT_RESULTS] = "results",
                                                [EXPECT_ACCEPTED] = "acceptance",
                                                [EXPECT_EITHER] = "either",
                                                [EXPECT_REJECTED] = "rejection"};

const char *expectation_name(enum expectation expects)
{
    return expectation_names[expects];
}

enum expectation expectation_find(const char *name)
{
    int expects = EXPECT_REJECTED;
    while (expects > EXPECT_RESULTS && strcmp(expectation_names[expects], name) != 0)
        expects--;
    return (enum expectation)expects;
}

enum { SENTENCES_MAX = 3 };

const char *record_why(const struct record *record, char *text, size_t size)
{
    const struct diagnosis *diagnosis = &record->symptoms.diagnosis;
    const explanation_set *set = &diagnosis->explanations;
    const bool known = explanation_is_in(set, (enum explanation)diagnosis->cause) &&
                       explanation_is_known((enum explanation)diagnosis->cause);
    int count = 0;
    size_t used = 0;
    *text = '\0';
    if (record->verdict.cause != CAUSE_RESULT)
        return text;
    for (int i = -1; i < EXPLAIN_COUNT; i++) { /* the cause comes first */
        const enum explanation e = (enum explanation)(i < 0 ? diagnosis->cause : i);
        const bool less = explanation_is_observed(e) || (known && !explanation_is_known(e)); /* says less than others */
        if (!explanation_is_in(set, e) || i == diagnosis->cause || (less && count > 0) || used >= size)
            continue;
        if (count++ < SENTENCES_MAX)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; or: " : "", explanation_sentence(e));
    }
    if (count > SENTENCES_MAX && used < size)
        snprintf(text + used, size - used, "; or one of %d others", count - SENTENCES_MAX);
    if (count == 0)
        snprintf(text, size, "unexplained%s%s", *diagnosis->shared ? ": " : "", diagnosis->shared);
    return text;
}

bool record_is_failure(const struct record *record)
{
    if (record->standing != STANDING_NONE)
        return record->standing == STANDING_UNEXPECTED;
    return record->flaky || status_is_failure(record->verdict.status);
}

bool record_is_known(const struct record *record)
{
    return record->standing == STANDING_EXPECTED && (record->flaky || status_is_failure(record->verdict.status));
}

void record_add(struct record_total *total, const struct record *record)
{
    total->counts[record->verdict.status]++;
    total->failures += record_is_failure(record);
    total->harness_errors += record_is_failure(record) && record->verdict.status == STATUS_HARNESS_ERROR;
    total->expected += record_is_known(record);
    total->unexpected += record->standing == STANDING_UNEXPECTED;
    total->unexpected_passes += record->standing == STANDING_UNEXPECTED && record->verdict.status == STATUS_PASS;
    total->flaky += record->flaky;
    total->compared += record->verdict.status == STATUS_PASS && record->expects == EXPECT_RESULTS &&
                       strcmp(record->outcome, outcome_name(OUTCOME_ERROR)) != 0;
}

void record_add_total(struct record_total *total, const struct record_total *other)
{
    for (int status = 0; status < STATUS_COUNT; status++)
        total->counts[status] += other->counts[status];
    total->failures += other->failures;
    total->harness_errors += other->harness_errors;
    total->expected += other->expected;
    total->unexpected += other->unexpected;
    total->unexpected_passes += other->unexpected_passes;
    total->flaky += other->flaky;
    total->compared += other->compared;
}
