#include "harness/run/attempts.h"

#include <stdio.h>
#include <string.h>

const char *const attempts_flaky_words[] = {"fail", "ok", NULL};

static void note_ending(struct attempts *a, const struct record *record)
{
    size_t used = strlen(a->endings), room = sizeof a->endings - used;
    int length = snprintf(a->endings + used, room, "%s%s", used ? ", " : "", status_name(record->status));
    if ((size_t)length >= room) /* many attempts: the first ones suffice */
        snprintf(a->endings + sizeof a->endings - 4, 4, "…");
    if (a->failed == 0 && status_is_failure(record->status)) {
        a->failed = a->count;
        snprintf(a->failure, sizeof a->failure, "%s", record->message);
    }
}

static void note_outputs(struct attempts *a, const struct record *record)
{
    if (record->checksum == 0 || strcmp(record->strength, "open") == 0)
        return;
    if (a->checksum == 0) {
        a->checksum = record->checksum;
        a->from = a->count;
    } else if (a->differing == 0 && a->checksum != record->checksum) {
        a->differing = a->count;
    }
}

/* Whether the attempts ended with different statuses, at least one of them no failure. */
static bool is_flaky(uint32_t statuses)
{
    bool good = false;
    for (int status = 0; status < STATUS_COUNT; status++)
        good |= (statuses >> status & 1) && !status_is_failure((enum status)status);
    return good && (statuses & (statuses - 1)) != 0;
}

void attempts_add(struct attempts *a, struct record *record)
{
    record->attempt = ++a->count;
    a->statuses |= 1u << record->status;
    note_ending(a, record);
    note_outputs(a, record);
    if (!record->last || a->count == 1) {
        record->statuses = a->statuses;
        return;
    }
    record->flaky = is_flaky(a->statuses);
    if (record->flaky) {
        snprintf(a->message, sizeof a->message, "the attempts ended as %s%s%s", a->endings,
                 a->failed ? "; the first failure: " : "", a->failure);
        record->message = a->message;
    } else if (a->differing) {
        snprintf(a->message, sizeof a->message, "not deterministic: attempt %u wrote other bits than attempt %u%s%s",
                 a->differing, a->from, *record->message ? "; " : "", record->message);
        record->message = a->message;
        if (!status_is_failure(record->status)) {
            record->status = STATUS_FAIL;
            record->cause = CAUSE_RESULT;
            a->statuses = 1u << STATUS_FAIL;
        }
    }
    record->statuses = a->statuses;
}
