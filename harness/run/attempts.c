#include "harness/run/attempts.h"

#include <stdio.h>
#include <string.h>

const char *const attempts_flaky_words[] = {"fail", "ok", NULL};

static void note_ending(struct attempts *a, const struct record *record)
{
    if (a->count <= ATTEMPTS_TOLD)
        a->endings[a->count - 1] = (uint8_t)record->verdict.status;
    if (a->failed == 0 && status_is_failure(record->verdict.status)) {
        a->failed = a->count;
        snprintf(a->failure, sizeof a->failure, "%s", record->message);
    }
}

/* Prints the endings of the attempts, "fail, pass". If there are many attempts, the first ones suffice. */
static void print_endings(const struct attempts *a, char *text, size_t size)
{
    size_t used = 0;
    for (unsigned i = 0; i < a->count && i < ATTEMPTS_TOLD && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", status_name((enum status)a->endings[i]));
    if (used >= size)
        snprintf(text + size - 4, 4, "…");
}

static void note_outputs(struct attempts *a, const struct record *record)
{
    if (record->verdict.checksum == 0 || strcmp(record->strength, "open") == 0)
        return;
    if (a->checksum == 0) {
        a->checksum = record->verdict.checksum;
        a->from = a->count;
    } else if (a->differing == 0 && a->checksum != record->verdict.checksum) {
        a->differing = a->count;
    }
}

/* Returns true if the attempts ended with different statuses, at least one of them no failure. An attempt that the
 * harness failed says nothing about the device. */
static bool is_flaky(uint32_t statuses)
{
    bool good = false;
    statuses &= ~(1u << STATUS_HARNESS_ERROR);
    for (int status = 0; status < STATUS_COUNT; status++)
        good |= (statuses >> status & 1) && !status_is_failure((enum status)status);
    return good && (statuses & (statuses - 1)) != 0;
}

void attempts_add(struct attempts *a, struct record *record)
{
    record->attempt = ++a->count;
    a->statuses |= 1u << record->verdict.status;
    note_ending(a, record);
    note_outputs(a, record);
    if (!record->last || a->count == 1) {
        record->statuses = a->statuses;
        return;
    }
    record->flaky = is_flaky(a->statuses);
    if (record->flaky) {
        char endings[128];
        print_endings(a, endings, sizeof endings);
        snprintf(a->message, sizeof a->message, "the attempts ended as %s%s%s", endings,
                 a->failed ? "; the first failure: " : "", a->failure);
        record->message = a->message;
    } else if (a->differing) {
        snprintf(a->message, sizeof a->message, "not deterministic: attempt %u wrote other bits than attempt %u%s%s",
                 a->differing, a->from, *record->message ? "; " : "", record->message);
        record->message = a->message;
        if (!status_is_failure(record->verdict.status)) {
            record->verdict.status = STATUS_FAIL;
            record->verdict.cause = CAUSE_RESULT;
            a->statuses = 1u << STATUS_FAIL;
        }
    }
    record->statuses = a->statuses;
}
