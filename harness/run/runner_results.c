/* What workers say of the cases that they ran, and which of these are run again. */
#include "harness/run/runner_internal.h"

#include "harness/spec/outcome.h"

#include <stdlib.h>
#include <string.h>

static bool new_incident(struct runner *r)
{
    bool *larger = realloc(r->explained, (r->incidents + 2) * sizeof *larger);
    if (!larger)
        return false;
    r->explained = larger;
    r->explained[++r->incidents] = false;
    return true;
}

static void queue_again(struct runner *r, uint32_t index)
{
    if (!r->outcomes[index].queued)
        r->again[r->again_count++] = index;
    r->outcomes[index].queued = true;
}

/* An attempt at a case is over: it is put by where another one is wanted. */
void runner_end_attempt(struct runner *r, uint32_t index)
{
    struct ending *o = &r->outcomes[index];
    enum runner_again again = RUNNER_DONE;
    if (r->config->again)
        again = r->config->again(r->config->context, index, (enum status)o->status, o->attempts + 1);
    struct ending *more = again ? realloc(o->earlier, (o->attempts + 1) * sizeof *more) : NULL;
    if (!more)
        return; /* what there is must do */
    more[o->attempts] = *o;
    *o = (struct ending){.alone = again == RUNNER_ALONE, .earlier = more, .attempts = o->attempts + 1};
    queue_again(r, index);
}

void runner_run_again(struct runner *r, const struct batch *batch, bool alone)
{
    if (alone && !new_incident(r))
        alone = false;
    for (uint32_t i = batch->count; i-- > 0;) {
        uint32_t index = batch->cases[i];
        if (r->outcomes[index].done || r->outcomes[index].queued)
            continue;
        r->outcomes[index].alone |= alone;
        if (alone)
            r->outcomes[index].incident = r->incidents;
        queue_again(r, index);
    }
}

/* The cases of a batch that has its results, if some of them are not known to be their own. */
static void run_unsure(struct runner *r, const struct batch *batch)
{
    bool unsure = false;
    for (uint32_t i = 0; i < batch->count; i++)
        unsure |= !r->outcomes[batch->cases[i]].done;
    if (unsure)
        runner_run_again(r, batch, true);
}

static bool take_result(struct runner *r, size_t index, bool alone, const char **at, const char *end)
{
    struct wire_result result;
    struct ending *o = &r->outcomes[index];
    if ((size_t)(end - *at) < sizeof result)
        return false;
    memcpy(&result, *at, sizeof result);
    *at += sizeof result;
    size_t more = (result.has_wrong ? sizeof(struct wrong) : 0) + result.message_size + result.dump_size;
    if ((size_t)(end - *at) < more || result.status >= STATUS_COUNT || result.outcome >= OUTCOME_COUNT ||
        result.cause >= CAUSE_COUNT)
        return false;
    o->done =
        alone || (result.status != STATUS_DEVICE_LOST && !result.unsure); /* of many, it is not known which it was */
    o->status = result.status;
    o->slow |= r->config->slow_ms && result.host_ns > (uint64_t)r->config->slow_ms * 1000000u;
    o->choice = result.outcome;
    o->cause = result.cause;
    o->host_ns = result.host_ns;
    o->device_ns = result.device_ns;
    o->checksum = result.checksum;
    if (more > 0 && o->done && (o->detail = calloc(1, sizeof *o->detail + more + 2))) {
        const char *text = *at + (result.has_wrong ? sizeof(struct wrong) : 0);
        if (result.has_wrong)
            memcpy(&o->detail->wrong, *at, sizeof o->detail->wrong);
        o->detail->dump = result.message_size ? result.message_size : 1;
        memcpy(o->detail->text, text, result.message_size);
        memcpy(o->detail->text + o->detail->dump, text + result.message_size, result.dump_size);
    }
    *at += more;
    return true;
}

/* Everything a worker has sent, up to the loss of its device: what came after it was in no case's hand. False: it sent
 * nonsense. */
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
                w->lost |= r->outcomes[index].status == STATUS_DEVICE_LOST;
            }
            r->workers_without_result = r->fatal_cases = 0;
            if (header.count > 1)
                run_unsure(r, &w->batches[0]);
            for (uint32_t i = header.count; i-- > 0;)
                if (r->outcomes[w->batches[0].cases[i]].done)
                    runner_end_attempt(r, w->batches[0].cases[i]);
            runner_drop_first(r, w);
        }
        process_drop_message(&w->process);
    }
    return true;
}
