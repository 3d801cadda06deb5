/* judge_results.c: sends the results of a batch as one message to the harness. */
#include "harness/worker/judge_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the text that the device has printed during the batch. It may belong to any of the cases. */
static void read_printed(struct judge *j, uint32_t count)
{
    char text[OUTPUT_TEXT];
    *j->printed = '\0';
    if (output_read(STDERR_FILENO, j->printed_before, text, sizeof text))
        snprintf(j->printed, sizeof j->printed, count > 1 ? "[%2$u cases at once] %1$s" : "%1$s", text, count);
}

/* Returns true if the result holds the text that the device printed. */
static bool has_printed(const struct judge *j, const struct trial *t)
{
    return *j->printed && (status_is_failure(t->verdict.status) || t->verdict.status == STATUS_WARN);
}

/* Returns the size of the samples, in bytes, if the case did not fail; otherwise 0. */
static size_t measured_bytes(const struct judge *j, const struct trial *t)
{
    return j->measured.count > 0 && !status_is_failure(t->verdict.status) ? measured_size(&j->measured) : 0;
}

bool judge_send_results(struct judge *j, uint32_t count)
{
    size_t size = 0, used = 0;
    read_printed(j, count);
    for (uint32_t i = 0; i < count; i++)
        size += sizeof(struct wire_result) + sizeof(struct symptoms) + sizeof j->trials[i].message + sizeof j->printed +
                measured_bytes(j, &j->trials[i]) + (j->trials[i].dump ? strlen(j->trials[i].dump) + 1 : 0);
    char *out = malloc(sizeof(struct wire_header) + size);
    if (!out)
        return false;
    char *body = out + sizeof(struct wire_header);
    for (uint32_t i = 0; i < count; i++) {
        const struct trial *t = &j->trials[i];
        struct wire_result result = {.verdict = t->verdict,
                                     .has_symptoms = *t->symptoms.wrong.tensor || t->symptoms.diagnosis.given ||
                                                     *t->symptoms.error_place,
                                     .rerun_alone = t->rerun_alone,
                                     .message_size = *t->message ? (uint16_t)(strlen(t->message) + 1) : 0,
                                     .printed_size = has_printed(j, t) ? (uint16_t)(strlen(j->printed) + 1) : 0,
                                     .dump_size = t->dump ? (uint32_t)strlen(t->dump) + 1 : 0,
                                     .measured_size = (uint32_t)measured_bytes(j, t)};
        memcpy(body + used, &result, sizeof result);
        used += sizeof result;
        if (result.has_symptoms) {
            memcpy(body + used, &t->symptoms, sizeof t->symptoms);
            used += sizeof t->symptoms;
        }
        memcpy(body + used, t->message, result.message_size);
        used += result.message_size;
        if (t->dump)
            memcpy(body + used, t->dump, result.dump_size);
        used += result.dump_size;
        memcpy(body + used, j->printed, result.printed_size);
        used += result.printed_size;
        memcpy(body + used, &j->measured, result.measured_size);
        used += result.measured_size;
        free(t->dump);
    }
    struct wire_header header = {.type = WIRE_RESULTS, .count = count, .size = used};
    memcpy(out, &header, sizeof header);
    bool good = wire_write(WIRE_SOCKET, out, sizeof header + used);
    free(out);
    return good;
}
