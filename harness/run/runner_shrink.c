/* Sequences of calls that end the device's process. The judge (sequence/sequence_shrink.c) chooses the calls that are
 * tried; here they get a new worker each time, which begins with the state that the last one left. */
#include "harness/base/clock.h"
#include "harness/run/runner_internal.h"
#include "harness/sequence/lifecycle.h"
#include "harness/sequence/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RUN_MS = 40000,  /* the time for all cases of a run: no shrinking begins after it; `assay repro` shrinks the case */
    CASE_MS = 20000, /* the time for one case */
    PART_OF_TIMEOUT = 10 /* a part of the calls gets this part of the limit of a case, at least PART_MS */
};
static const unsigned PART_MS = 1000;

/* Calls that are made again and again are not shrunk: a part of them, made once, proves nothing. Calls under a debugger
 * are not shrunk either: the debugger would be started for each part. */
static bool is_to_shrink(const struct runner *r, size_t index, const struct death *death)
{
    const struct testcase *c = &r->config->plan->cases[index];
    bool ends = death->status == STATUS_CRASH || death->status == STATUS_TIMEOUT;
    bool repeats = death->parts->rounds > 0 && lifecycle_repeats(&c->lifecycle);
    return ends && death->parts->tried > 0 && spec_is_interface(c->spec) && !repeats && !r->config->debugger &&
           r->shrinking_ns < RUN_MS * (uint64_t)1000000;
}

static bool runner_shrink_start(struct runner *r, size_t index, const struct death *death)
{
    struct shrinking *new = is_to_shrink(r, index, death) ? calloc(1, sizeof *new) : NULL;
    if (!new)
        return false;
    *new = (struct shrinking){.status = death->status,
                              .promise = death->promise,
                              .start = clock_ns(),
                              .end = clock_ns() + CASE_MS * (uint64_t)1000000,
                              .parts = {.tried = death->parts->tried,
                                        .usable = death->parts->usable,
                                        .rounds = death->parts->rounds,
                                        .stage = SEQUENCE_WHOLE,
                                        .hangs = death->status == STATUS_TIMEOUT}};
    snprintf(new->how, sizeof new->how, "%s", death->how);
    snprintf(new->printed, sizeof new->printed, "%s", death->printed);
    r->cases[index].shrinking = new;
    return true;
}

bool runner_shrinks_on(struct runner *r, size_t index, const struct death *death)
{
    struct shrinking *shrinking = r->cases[index].shrinking;
    if (!shrinking)
        return runner_shrink_start(r, index, death);
    shrinking->parts = *death->parts;
    bool goes_on = sequence_answer(&shrinking->parts, !death->parts->survived && death->status == shrinking->status);
    if (clock_ns() > shrinking->end)
        shrinking->parts.shrink.most = shrinking->parts.shrink.tests;
    return goes_on;
}

bool runner_wants_new_worker(const struct runner *r)
{
    size_t waiting = 0, fresh = 0;
    for (size_t i = 0; i < r->rerun_count; i++)
        waiting += r->cases[r->rerun[i]].shrinking != NULL;
    for (unsigned i = 0; i < r->config->jobs; i++)
        fresh += r->workers[i].process.pid == 0 || !r->workers[i].used;
    return waiting > fresh;
}

/* Frees the data that has been kept for shrinking. */
static void runner_shrink_forget(struct runner *r, size_t index)
{
    struct shrinking *shrinking = r->cases[index].shrinking;
    r->shrinking_ns += clock_ns() - shrinking->start;
    free(shrinking);
    r->cases[index].shrinking = NULL;
}

unsigned runner_part_timeout(const struct runner_worker *w, unsigned timeout_ms)
{
    unsigned part = timeout_ms / PART_OF_TIMEOUT > PART_MS ? timeout_ms / PART_OF_TIMEOUT : PART_MS;
    return w->process.progress->parts.stage != SEQUENCE_PART || part > timeout_ms ? timeout_ms : part;
}

void runner_end_shrinking(struct runner *r, size_t index)
{
    struct case_state *state = &r->cases[index];
    struct shrinking *shrinking = state->shrinking;
    const char *said = state->detail ? state->detail->text : "",
               *dump = said + (state->detail ? state->detail->dump : 0);
    char *message = malloc(strlen(shrinking->how) + strlen(said) + 1);
    struct detail *detail = NULL;
    if (message) {
        sprintf(message, "%s%s", shrinking->how, said);
        detail = runner_detail(message, dump, shrinking->printed);
    }
    free(message);
    free(state->detail);
    state->detail = detail;
    state->verdict.status = shrinking->status;
    state->verdict.cause = CAUSE_CONDUCT;
    bool known = shrinking->promise != PROMISE_NONE && shrinking->promise != PROMISE_INDEPENDENT;
    if (known || state->verdict.promise == PROMISE_NONE)
        state->verdict.promise = shrinking->promise;
    runner_shrink_forget(r, index);
}

void runner_give_up_shrinking(struct runner *r, size_t index)
{
    struct shrinking *shrinking = r->cases[index].shrinking;
    runner_settle(r, index, shrinking->status, shrinking->printed, "%s", shrinking->how);
    r->cases[index].verdict.promise = shrinking->promise;
    runner_shrink_forget(r, index);
}
