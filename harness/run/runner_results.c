/* Takes the results of workers and decides which cases are run again. */
#include "harness/run/runner_internal.h"

#include "harness/spec/outcome.h"

#include <stdlib.h>
#include <string.h>

static bool new_batch_failure(struct runner *r)
{
    bool *larger = realloc(r->reproduced, (r->batch_failures + 2) * sizeof *larger);
    if (!larger)
        return false;
    r->reproduced = larger;
    r->reproduced[++r->batch_failures] = false;
    return true;
}

static void queue_rerun(struct runner *r, uint32_t index)
{
    if (!r->cases[index].queued)
        r->rerun[r->rerun_count++] = index;
    r->cases[index].queued = true;
}

/* If another attempt is wanted, this one moves to the earlier ones. */
void runner_end_attempt(struct runner *r, uint32_t index)
{
    struct case_state *state = &r->cases[index];
    enum runner_again again = RUNNER_DONE;
    if (r->config->again)
        again = r->config->again(r->config->context, index, (enum status)state->status, state->attempts + 1);
    struct case_state *more = again ? realloc(state->earlier, (state->attempts + 1) * sizeof *more) : NULL;
    if (!more)
        return; /* without memory, the attempts made must do */
    more[state->attempts] = *state;
    *state = (struct case_state){.alone = again == RUNNER_ALONE, .earlier = more, .attempts = state->attempts + 1};
    queue_rerun(r, index);
}

void runner_run_again(struct runner *r, const struct batch *batch, bool alone)
{
    if (alone && !new_batch_failure(r))
        alone = false;
    for (uint32_t i = batch->count; i-- > 0;) {
        uint32_t index = batch->cases[i];
        if (r->cases[index].done || r->cases[index].queued)
            continue;
        r->cases[index].alone |= alone;
        if (alone)
            r->cases[index].batch_failure = r->batch_failures;
        queue_rerun(r, index);
    }
}

/* Runs the cases of a batch alone whose results another case of the batch may have caused. */
static void rerun_unsure(struct runner *r, const struct batch *batch)
{
    bool unsure = false;
    for (uint32_t i = 0; i < batch->count; i++)
        unsure |= !r->cases[batch->cases[i]].done;
    if (unsure)
        runner_run_again(r, batch, true);
}

static bool take_result(struct runner *r, size_t index, bool alone, const char **at, const char *end)
{
    struct wire_result result;
    struct case_state *state = &r->cases[index];
    if ((size_t)(end - *at) < sizeof result)
        return false;
    memcpy(&result, *at, sizeof result);
    *at += sizeof result;
    size_t more = (result.has_wrong ? sizeof(struct wrong) : 0) + result.message_size + result.dump_size;
    if ((size_t)(end - *at) < more || result.status >= STATUS_COUNT || result.outcome >= OUTCOME_COUNT ||
        result.cause >= CAUSE_COUNT)
        return false;
    /* In a batch of several, another case may have lost the device or caused the failure. */
    state->done = alone || (result.status != STATUS_DEVICE_LOST && !result.rerun_alone);
    state->status = result.status;
    state->slow |= r->config->slow_ms && result.host_ns > (uint64_t)r->config->slow_ms * 1000000u;
    state->outcome = result.outcome;
    state->cause = result.cause;
    state->host_ns = result.host_ns;
    state->device_ns = result.device_ns;
    state->checksum = result.checksum;
    if (more > 0 && state->done && (state->detail = calloc(1, sizeof *state->detail + more + 2))) {
        const char *text = *at + (result.has_wrong ? sizeof(struct wrong) : 0);
        if (result.has_wrong)
            memcpy(&state->detail->wrong, *at, sizeof state->detail->wrong);
        state->detail->dump = result.message_size ? result.message_size : 1;
        memcpy(state->detail->text, text, result.message_size);
        memcpy(state->detail->text + state->detail->dump, text + result.message_size, result.dump_size);
    }
    *at += more;
    return true;
}

/* Messages after the loss of the device are ignored: what happens then is no case's fault. */
bool runner_take(struct runner *r, struct runner_worker *w)
{
    struct wire_header header;
    const char *body;
    while (!w->lost && process_message(&w->process, &header, &body)) {
        if (!w->ready) {
            if (header.type != WIRE_HELLO || header.size != sizeof r->hello)
                return false;
            memcpy(&r->hello, body, sizeof r->hello);
            r->hello.message[sizeof r->hello.message - 1] = '\0';
            w->ready = true;
        } else {
            const char *at = body;
            if (header.type != WIRE_RESULTS || w->queued == 0 || header.count != w->batches[0].count)
                return false;
            for (uint32_t i = 0; i < header.count; i++) {
                size_t index = w->batches[0].cases[i];
                if (!take_result(r, index, header.count == 1, &at, body + header.size))
                    return false;
                w->lost |= r->cases[index].status == STATUS_DEVICE_LOST;
            }
            r->deaths_without_result = r->consecutive_deaths = 0;
            if (header.count > 1)
                rerun_unsure(r, &w->batches[0]);
            for (uint32_t i = header.count; i-- > 0;)
                if (r->cases[w->batches[0].cases[i]].done)
                    runner_end_attempt(r, w->batches[0].cases[i]);
            runner_drop_first(r, w);
        }
        process_drop_message(&w->process);
    }
    return true;
}
