/* The batches that workers get, and their deadlines. */
#include "harness/base/clock.h"
#include "harness/run/runner_internal.h"

#include "harness/run/applicability.h"
#include "harness/trial/trial.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 32 << 20, /* bytes of tensors */
    BATCH_FIRST = 4,        /* cases: the first batches are small, so that results show early */
    AHEAD = 16384,          /* attempts at cases: a worker looks this far ahead for cases of its operators */
    MIXED = 8,              /* one case of so many goes to any worker: they take turns */
    BYTES_A_MS = 16384      /* bytes of tensors that may take a millisecond to make, run and judge */
};

static uint64_t case_bytes(const struct testcase *c)
{
    uint64_t bytes = 0;
    bool runs = testcase_may_run(c);
    for (int i = -1; runs && (i = testcase_next_tensor(c, i)) >= 0;)
        bytes += c->desc->items[i].tensor.total * (field_is_output(spec_tensor_field(c->spec, i)) ? 2 : 1);
    return bytes;
}

static uint32_t batch_limit(const struct runner *r)
{
    uint32_t max = r->config->batch;
    if (max == 0)
        max = r->hello.info.max_batch > 1 ? r->hello.info.max_batch : RUNNER_BATCH;
    if (r->batches < r->config->jobs * QUEUED && max > BATCH_FIRST)
        max = BATCH_FIRST;
    return max < BATCH_MAX ? max : BATCH_MAX;
}

/* Returns true if a worker is to run the case; settles a case that must not be run. */
static bool runner_batches_is_to_run(struct runner *r, size_t index)
{
    const struct applicability to = {
        .level = r->hello.info.feature_level, .max_bytes = r->hello.info.max_tensor_bytes, .denied = r->hello.denied};
    enum status status;
    char why[600];
    if (runner_is_finished(r, index))
        return false;
    const struct unread *unread = r->config->plan->cases[index].unread;
    if (unread) {
        runner_settle(r, index, unread->unknown ? STATUS_SKIP : STATUS_HARNESS_ERROR, "", "%s", unread->why);
        r->cases[index].verdict.cause = CAUSE_FILE;
        return false;
    }
    if (r->config->expect && expect_skips(r->config->expect, index, why, sizeof why)) {
        runner_settle(r, index, STATUS_SKIP, "", "%s", why);
        return false;
    }
    bool applicable = applies(&r->config->plan->cases[index], &to, &status, why, sizeof why);
    if (!applicable)
        runner_settle(r, index, status, "", "%s", why);
    return applicable;
}

/* Returns true if a case is to be run in a batch of its own. */
static bool is_alone(const struct runner *r, size_t index)
{
    return r->cases[index].alone || r->config->plan->cases[index].lifecycle.kind != LIFECYCLE_NONE;
}

static size_t case_at(const struct runner *r, size_t position)
{
    return r->config->order ? r->config->order[position] : position;
}

static uint8_t worker_number(const struct runner *r, const struct runner_worker *w)
{
    return (uint8_t)(w - r->workers + 1);
}

/* Returns the position of the next case for a worker. A device keeps the code that it has compiled for an operator in
 * its process, so an operator's cases go to the worker that had its first one. Only a worker that has no such case
 * AHEAD of it helps others. But one operator may leave data in the process that make another one wrong, so some cases
 * go to each worker in turn: every process runs all operators. */
static size_t next_position(struct runner *r, struct runner_worker *w)
{
    const struct plan *plan = r->config->plan;
    uint8_t self = worker_number(r, w);
    size_t ahead = AHEAD / (r->config->repeat > 1 ? r->config->repeat : 1); /* all attempts wait for earlier cases */
    size_t end = r->next + ahead < plan->count ? r->next + ahead : plan->count;
    for (w->next = w->next < r->next ? r->next : w->next; w->next < end; w->next++) {
        size_t index = case_at(r, w->next);
        uint8_t *owner = &r->owners[plan_spec(plan, index) - r->config->specs->specs];
        if (r->cases[index].given)
            continue;
        if (index % MIXED == 0 ? index / MIXED % r->config->jobs + 1 == self : *owner == 0 || *owner == self) {
            *owner = *owner ? *owner : self;
            return w->next;
        }
    }
    return r->next;
}

static void give(struct runner *r, size_t index)
{
    r->cases[index].given = true;
    r->reached = index < r->reached ? r->reached : index + 1;
    while (r->next < r->config->plan->count && r->cases[case_at(r, r->next)].given)
        r->next++;
}

/* Returns the place in the stack of the next case that the worker may run again; -1: none. A new worker begins with the
 * case that is being shrunk. Any other worker never gets that case, and begins with cases of its own, of which its
 * judge has kept data. */
static int64_t next_rerun(const struct runner *r, const struct runner_worker *w)
{
    const uint8_t self = worker_number(r, w);
    int64_t any = -1;
    for (size_t at = r->rerun_count; at-- > 0;) {
        const struct case_state *state = &r->cases[r->rerun[at]];
        if (w->used ? !state->shrinking && state->worker == self : state->shrinking != NULL)
            return (int64_t)at;
        if (any < 0 && !(w->used && state->shrinking))
            any = (int64_t)at;
    }
    return any;
}

static uint32_t take_rerun(struct runner *r, int64_t at)
{
    uint32_t index = r->rerun[at];
    r->rerun_count--;
    memmove(&r->rerun[at], &r->rerun[at + 1], (r->rerun_count - (size_t)at) * sizeof *r->rerun);
    r->cases[index].queued = false;
    return index;
}

struct batch runner_next_batch(struct runner *r, struct runner_worker *w)
{
    struct batch batch = {.cases = malloc(BATCH_MAX * sizeof *batch.cases)};
    uint32_t limit = batch_limit(r);
    for (int64_t at; batch.cases && batch.count < limit && (at = next_rerun(r, w)) >= 0;) {
        bool alone = is_alone(r, r->rerun[at]);
        if (alone && batch.count > 0)
            break;
        batch.bytes += case_bytes(&r->config->plan->cases[r->rerun[at]]);
        batch.cases[batch.count++] = take_rerun(r, at);
        if (alone)
            return batch;
    }
    while (batch.cases && batch.count < limit && r->next < r->config->plan->count) {
        size_t index = case_at(r, next_position(r, w));
        if (!plan_await(r->config->plan, index + 1)) {
            plan_damaged(r->error);
            free(batch.cases);
            return (struct batch){0};
        }
        if (runner_batches_is_to_run(r, index)) {
            bool alone = is_alone(r, index);
            if (alone && batch.count > 0)
                break;
            uint64_t bytes = case_bytes(&r->config->plan->cases[index]);
            if (batch.count > 0 && batch.bytes + bytes > BATCH_BYTES)
                break;
            batch.bytes += bytes;
            batch.cases[batch.count++] = (uint32_t)index;
            if (alone)
                limit = batch.count; /* this is the batch */
        }
        give(r, index);
    }
    return batch;
}

bool runner_runs_many(const struct runner_worker *w)
{
    return (w->at.stage == STAGE_DISPATCH || w->at.stage == STAGE_AGAIN) && w->queued > 0 && w->batches[0].count > 1;
}

uint64_t runner_more_time(const struct runner_worker *w)
{
    return w->queued > 0 ? w->batches[0].bytes / BYTES_A_MS : 0;
}

uint64_t runner_limit(const struct runner_worker *w, unsigned limit_ms)
{
    uint64_t limit = (uint64_t)limit_ms * 1000000u;
    return limit + runner_more_time(w) * 1000000u + (runner_runs_many(w) ? limit / 10 * (w->batches[0].count - 1) : 0);
}

static unsigned case_timeout(const struct runner *r, const struct runner_worker *w)
{
    const uint32_t *timeouts = r->config->timeouts_ms;
    unsigned most = 0;
    int64_t at = runner_case_at(w);
    if (!timeouts || at < 0)
        return r->config->timeout_ms;
    if (w->at.stage == STAGE_CASE)
        return timeouts[at];
    for (uint32_t i = 0; i < w->batches[0].count; i++)
        most = timeouts[w->batches[0].cases[i]] > most ? timeouts[w->batches[0].cases[i]] : most;
    return most;
}

unsigned runner_timeout(const struct runner *r, const struct runner_worker *w)
{
    unsigned timeout = case_timeout(r, w);
    int64_t at = runner_case_at(w);
    return at >= 0 && r->cases[at].shrinking ? runner_part_timeout(w, timeout) : timeout;
}

unsigned runner_start_ms(const struct runner *r)
{
    return START_TIMES * (r->config->timeout_ms ? r->config->timeout_ms : 10000);
}

static void set_deadline(const struct runner *r, struct runner_worker *w)
{
    w->at = process_activity(&w->process);
    w->since = clock_ns();
    w->deadline = r->config->debugger ? UINT64_MAX : w->since + runner_limit(w, runner_timeout(r, w));
    w->slow_reported = false;
}

bool runner_is_late(const struct runner *r, struct runner_worker *w)
{
    if (w->queued == 0 && w->ready)
        return false;
    const struct process_activity now = process_activity(&w->process);
    if (w->ready && process_advanced(&w->at, &now))
        set_deadline(r, w);
    return clock_ns() > w->deadline;
}

int64_t runner_case_at(const struct runner_worker *w)
{
    if (w->queued == 0 || !w->ready)
        return -1;
    return w->batches[0].cases[w->at.stage == STAGE_CASE && w->at.index < w->batches[0].count ? w->at.index : 0];
}

/* Returns the least time that a case of a batch has. */
static unsigned least_timeout(const struct runner *r, const struct batch *batch)
{
    const uint32_t *timeouts = r->config->timeouts_ms;
    unsigned least = timeouts ? UINT_MAX : r->config->timeout_ms;
    for (uint32_t i = 0; timeouts && i < batch->count; i++)
        least = timeouts[batch->cases[i]] < least ? timeouts[batch->cases[i]] : least;
    return least;
}

bool runner_send(struct runner *r, struct runner_worker *w, struct batch batch)
{
    size_t size = 0;
    for (uint32_t i = 0; i < batch.count; i++)
        size += testcase_encode(&r->config->plan->cases[batch.cases[i]], r->config->specs->specs, 0, NULL, 0);
    char *message = process_send(&w->process, sizeof(struct wire_header) + size);
    if (!message)
        return false;
    struct wire_header header = {
        .type = WIRE_BATCH, .count = batch.count, .size = size, .limit_ms = least_timeout(r, &batch)};
    memcpy(message, &header, sizeof header);
    message += sizeof header;
    for (uint32_t i = 0; i < batch.count; i++) {
        const struct testcase *c = &r->config->plan->cases[batch.cases[i]];
        r->cases[batch.cases[i]].worker = worker_number(r, w);
        message += testcase_encode(c, r->config->specs->specs, plan_case_seed(r->config->seed, c->name), message, size);
    }
    w->shrinking = r->cases[batch.cases[0]].shrinking != NULL;
    if (w->shrinking)
        w->process.progress->parts = r->cases[batch.cases[0]].shrinking->parts;
    w->used = true;
    w->batches[w->queued++] = batch;
    if (w->queued == 1)
        set_deadline(r, w);
    r->batches++;
    return true;
}

void runner_drop_first(struct runner *r, struct runner_worker *w)
{
    free(w->batches[0].cases);
    w->queued--;
    for (int i = 0; i < w->queued; i++)
        w->batches[i] = w->batches[i + 1];
    if (w->queued > 0)
        set_deadline(r, w);
}
