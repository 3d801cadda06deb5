/* Takes the results of workers and decides which cases are run again. */
#include "harness/run/runner_internal.h"
#include "harness/worker/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- batches that failed as a whole */

/* Adds a batch failure and returns it; null: no memory. */
static struct batch_failure *add_failure(struct runner *r, uint32_t cases, const char *how)
{
    struct batch_failure *larger = realloc(r->failures, (r->failure_count + 1) * sizeof *larger);
    char text[1100];
    snprintf(text, sizeof text, "with its batch of %u cases: %s", cases, how);
    struct detail *detail = runner_detail(text, "", "");
    if (larger)
        r->failures = larger;
    if (!larger || !detail) {
        free(detail);
        return NULL;
    }
    struct batch_failure *failure = &r->failures[r->failure_count++];
    *failure = (struct batch_failure){.detail = detail};
    return failure;
}

static bool is_death(enum status status)
{
    return status == STATUS_CRASH || status == STATUS_TIMEOUT || status == STATUS_DEVICE_LOST;
}

/* Notes the end of an attempt that followed a batch failure. A wrong result does not explain a death. */
static void note_alone(struct runner *r, const struct case_state *state)
{
    if (state->batch_failure == 0)
        return;
    struct batch_failure *failure = &r->failures[state->batch_failure - 1];
    enum status status = state->verdict.status;
    failure->waiting--;
    failure->explained |= is_death(status) || (status_is_failure(status) && !is_death(failure->verdict.status));
}

bool runner_is_decided(const struct runner *r, const struct case_state *state)
{
    for (unsigned i = 0; i <= state->attempts; i++) {
        const struct case_state *attempt = i < state->attempts ? &state->earlier[i] : state;
        if (attempt->batch_failure > 0 && r->failures[attempt->batch_failure - 1].waiting > 0)
            return false;
    }
    return true;
}

/* ---- cases that are run again */

static void queue_rerun(struct runner *r, uint32_t index)
{
    if (!r->cases[index].queued)
        r->rerun[r->rerun_count++] = index;
    r->cases[index].queued = true;
}

/* Returns the earlier attempts at a case, with room for one more: the room is a power of two. Null: no memory. */
static struct case_state *room_for_attempt(const struct case_state *state)
{
    const size_t count = state->attempts;
    if ((count & (count - 1)) != 0)
        return state->earlier;
    return realloc(state->earlier, (count ? 2 * count : 1) * sizeof *state->earlier);
}

/* Returns true if a case that has the result of an attempt gets another one. */
static bool wants_attempt(const struct runner_config *config, size_t index, const struct case_state *state)
{
    enum status status = state->verdict.status;
    if (config->repeat)
        return state->attempts + 1 < config->repeat;
    if (!status_is_failure(status) || status == STATUS_HARNESS_ERROR || !config->retries ||
        state->attempts >= config->retries[index])
        return false;
    return !config->expect || !expect_allows(expect_of_case(config->expect, index), 1u << status);
}

/* Moves the attempt to the earlier ones if another attempt is wanted. */
void runner_end_attempt(struct runner *r, uint32_t index)
{
    struct case_state *state = &r->cases[index];
    note_alone(r, state);
    struct case_state *more = wants_attempt(r->config, index, state) ? room_for_attempt(state) : NULL;
    if (!more)
        return; /* without memory, the attempts made must do */
    more[state->attempts] = *state;
    *state = (struct case_state){.given = true,
                                 .alone = r->config->repeat == 0,
                                 .worker = state->worker,
                                 .earlier = more,
                                 .attempts = state->attempts + 1};
    queue_rerun(r, index);
}

static void run_again(struct runner *r, const struct batch *batch, struct batch_failure *failure)
{
    for (uint32_t i = batch->count; i-- > 0;) {
        uint32_t index = batch->cases[i];
        if (r->cases[index].done || r->cases[index].queued)
            continue;
        if (failure) {
            r->cases[index].alone = true;
            r->cases[index].batch_failure = (uint32_t)(failure - r->failures) + 1;
            failure->waiting++;
        }
        queue_rerun(r, index);
    }
}

void runner_run_again(struct runner *r, const struct batch *batch)
{
    run_again(r, batch, NULL);
}

void runner_run_alone(struct runner *r, const struct batch *batch, enum status status, enum cause cause,
                      const char *how)
{
    struct batch_failure *failure = add_failure(r, batch->count, how);
    if (failure) {
        failure->verdict.status = status;
        failure->verdict.cause = cause;
    }
    run_again(r, batch, failure);
}

bool runner_judge_again(struct runner *r, const struct batch *batch)
{
    bool again = true;
    for (uint32_t i = 0; i < batch->count; i++)
        again &= ++r->cases[batch->cases[i]].judges_lost < RUNNER_JUDGES;
    for (uint32_t i = 0; i < batch->count && again; i++)
        r->cases[batch->cases[i]].alone = true;
    if (again)
        runner_run_again(r, batch);
    return again;
}

/* Runs the cases of a batch alone whose results another case of the batch may have caused. `how` is the message of the
 * first of them. */
static void rerun_unsure(struct runner *r, const struct batch *batch, const char *how)
{
    const struct case_state *first = NULL;
    bool harmed = false; /* a case of the batch is known to have written forbidden memory */
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct case_state *state = &r->cases[batch->cases[i]];
        if (!state->done && !first)
            first = state;
        harmed |= state->done && state->verdict.cause == CAUSE_MEMORY;
    }
    if (!first)
        return;
    enum status status = first->verdict.status;
    runner_run_alone(r, batch, status, first->verdict.cause, how);
    if (harmed && !is_death(status) && r->failure_count > 0)
        r->failures[r->failure_count - 1].explained = true;
}

static bool runner_results_take_result(struct runner *r, size_t index, bool alone, const char **at, const char *end,
                                       char how[400])
{
    struct wire_result result;
    struct case_state *state = &r->cases[index];
    if ((size_t)(end - *at) < sizeof result)
        return false;
    memcpy(&result, *at, sizeof result);
    *at += sizeof result;
    size_t symptoms = result.has_symptoms ? sizeof(struct symptoms) : 0;
    size_t texts = symptoms + result.message_size + result.dump_size + result.printed_size;
    size_t more = texts + result.measured_size;
    const struct verdict *verdict = &result.verdict;
    if ((size_t)(end - *at) < more || result.measured_size > sizeof *state->measured ||
        (unsigned)verdict->status >= STATUS_COUNT || (unsigned)verdict->cause >= CAUSE_COUNT ||
        (unsigned)verdict->promise >= PROMISE_COUNT)
        return false;
    /* Another case of the batch may have lost the device or caused the failure. */
    state->done = alone || (verdict->status != STATUS_DEVICE_LOST && !result.rerun_alone);
    state->verdict = *verdict;
    state->slow |= r->config->slow_ms && verdict->host_ns > (uint64_t)r->config->slow_ms * 1000000u;
    const char *text = *at + symptoms, *dump = text + result.message_size, *printed = dump + result.dump_size;
    if (result.measured_size > 0 && state->done && (state->measured = calloc(1, sizeof *state->measured)))
        memcpy(state->measured, *at + texts, result.measured_size);
    if (texts > 0 && state->done &&
        (state->detail = runner_detail(result.message_size ? text : "", result.dump_size ? dump : "",
                                       result.printed_size ? printed : "")))
        memcpy(&state->detail->symptoms, *at, symptoms);
    if (!state->done && !*how)
        snprintf(how, 400, "%.*s", (int)result.message_size, text);
    *at += more;
    return true;
}

/* Messages after the loss of the device are ignored: later events are no case's fault. A device that has been found to
 * leak is not used further, since that takes more and more memory; nor a worker that a sequence was shrunk in. */
bool runner_take(struct runner *r, struct runner_worker *w)
{
    struct wire_header header;
    const char *body;
    while (!w->spent && process_message(&w->process, &header, &body)) {
        if (!w->ready) {
            if (header.type != WIRE_HELLO || header.size != sizeof r->hello)
                return false;
            memcpy(&r->hello, body, sizeof r->hello);
            r->hello.message[sizeof r->hello.message - 1] = '\0';
            w->ready = true;
        } else {
            const char *at = body;
            char how[400] = "";
            if (header.type != WIRE_RESULTS || w->queued == 0 || header.count != w->batches[0].count)
                return false;
            for (uint32_t i = 0; i < header.count; i++) {
                size_t index = w->batches[0].cases[i];
                if (!runner_results_take_result(r, index, header.count == 1, &at, body + header.size, how))
                    return false;
                w->spent |= r->cases[index].verdict.status == STATUS_DEVICE_LOST ||
                            r->cases[index].verdict.promise == PROMISE_FREES;
            }
            r->deaths_without_result = 0;
            if (r->cases[w->batches[0].cases[0]].shrinking) {
                runner_end_shrinking(r, w->batches[0].cases[0]);
                r->consecutive_deaths++;
                w->spent = true; /* it was asked for parts only */
            } else
                r->consecutive_deaths = 0;
            if (header.count > 1)
                rerun_unsure(r, &w->batches[0], how);
            for (uint32_t i = header.count; i-- > 0;)
                if (r->cases[w->batches[0].cases[i]].done)
                    runner_end_attempt(r, w->batches[0].cases[i]);
            runner_drop_first(r, w);
        }
        process_drop_message(&w->process);
    }
    return true;
}
