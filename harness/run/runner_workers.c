/* Starts and ends worker processes. */
#include "harness/base/clock.h"
#include "harness/run/runner_internal.h"
#include "harness/worker/output.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASKED_MS = 500, /* for a worker to exit that has died or was asked to end */
    CLOSE_MS = 5000 /* to close a device */
};

/* ---- start */

struct runner_prestarted {
    struct process process; /* its pid is 0 once it has been taken */
};

static bool start_process(struct process *process, const struct runner_config *config, bool spare, struct error *error)
{
    const struct process_config wanted = {.device = config->device,
                                          .specs = config->specs_folder,
                                          .set = config->specs,
                                          .sandbox = config->sandbox,
                                          .spare = spare,
                                          .debugger = config->debugger,
                                          .dump = config->dump,
                                          .half = config->half,
                                          .repeated = config->repeat > 1,
                                          .measure_ms = config->measure_ms,
                                          .profile = config->profile};
    return process_start(process, &wanted, error);
}

struct runner_prestarted *runner_prestart(const struct runner_config *config)
{
    struct runner_prestarted *prestarted = calloc(1, sizeof *prestarted);
    if (prestarted && start_process(&prestarted->process, config, false, NULL))
        return prestarted;
    free(prestarted);
    return NULL;
}

void runner_prestarted_free(struct runner_prestarted *prestarted)
{
    if (prestarted && prestarted->process.pid) {
        process_stop(&prestarted->process, 0);
        process_close(&prestarted->process);
        process_wait_judges();
        process_kill_orphans(NULL, 0);
    }
    free(prestarted);
}

static void end_spare(struct runner *r)
{
    if (r->spare.pid) {
        process_stop(&r->spare, 0);
        process_close(&r->spare);
    }
}

bool runner_start_worker(struct runner *r, struct runner_worker *w)
{
    struct runner_prestarted *prestarted = r->config->prestarted;
    w->ready = w->begun = w->spent = w->late = w->used = w->shrinking = false;
    w->queued = 0;
    w->slow_reported = false;
    w->since = clock_ns();
    w->deadline = r->config->debugger ? UINT64_MAX : w->since + runner_start_ms(r) * (uint64_t)1000000;
    if (prestarted && prestarted->process.pid) {
        w->process = prestarted->process;
        prestarted->process.pid = 0;
        return true;
    }
    if (r->spare.pid && process_open(&r->spare)) {
        w->process = r->spare;
        r->spare.pid = 0;
        return true;
    }
    end_spare(r);
    return start_process(&w->process, r->config, false, r->error);
}

static bool all_have_begun(const struct runner *r)
{
    bool begun = true;
    for (unsigned i = 0; i < r->config->jobs; i++)
        begun &= r->workers[i].process.pid == 0 || (r->workers[i].begun && !r->workers[i].late);
    return begun;
}

/* A spare worker costs as much processor time as some hundred cases. A worker that begins must not wait for it. */
void runner_keep_spare(struct runner *r)
{
    enum { BEGUN = 1024, MANY = 8192 /* cases: then it is worth its cost even if no worker has died yet */ };
    const size_t left = r->config->plan->count - r->next;
    bool pays = r->replaced ? left > 0 || r->rerun_count > 0 : left >= MANY && r->recorded >= BEGUN;
    if (r->spare.pid || r->no_spare || !pays || r->config->debugger || !all_have_begun(r))
        return;
    r->no_spare = !start_process(&r->spare, r->config, true, NULL);
}

/* ---- death */

static bool runner_workers_stop(struct runner *r, struct runner_worker *w, unsigned grace_ms)
{
    uint64_t kib = r->config->profile ? process_memory(&w->process) : 0;
    bool good = process_stop(&w->process, r->config->debugger ? UINT_MAX : grace_ms); /* its user ends a debugger */
    if (r->config->profile)
        profile_add(&r->total->workers, &w->process.progress->profile);
    r->total->workers_kib = kib > r->total->workers_kib ? kib : r->total->workers_kib;
    return good;
}

/* Returns the index of the case in its first batch that killed a worker; UINT32_MAX: not known. */
static uint32_t find_culprit(const struct runner_worker *w, const struct process_activity *at, bool harmed)
{
    if (w->queued == 0 || !w->ready || at->stage == STAGE_IDLE)
        return UINT32_MAX;
    if (w->batches[0].count == 1)
        return 0;
    /* The device may have died for itself while the judge was at a case; and harm is found later than it is done. */
    bool known = !harmed && at->stage == STAGE_CASE && (at->calling || w->late || w->process.failed);
    return known && at->index < w->batches[0].count ? at->index : UINT32_MAX;
}

/* Gives the case its result, unless its calls are to be shrunk first. */
static void runner_workers_blame(struct runner *r, size_t index, const struct death *death)
{
    struct case_state *state = &r->cases[index];
    if (runner_shrinks_on(r, index, death))
        return;
    if (state->shrinking)
        runner_give_up_shrinking(r, index);
    else {
        runner_settle(r, index, death->status, death->printed, "%s", death->how);
        state->verdict.promise = death->promise;
    }
    r->consecutive_deaths++;
}

/* Says that a judge has died, and queues the cases that it had. False: one of them must get the blame. */
static bool runner_lose_judge(struct runner *r, const struct runner_worker *w, const char *how)
{
    if (w->queued > 0 && w->ready && !runner_judge_again(r, &w->batches[0]))
        return false;
    fprintf(stderr, "assay: device '%s': %s; %s\n", r->config->device, how,
            w->ready ? "another judge runs its cases again" : "another judge takes its place");
    return true;
}

void runner_handle_death(struct runner *r, struct runner_worker *w, const char *why)
{
    r->replaced = true;
    char how[900], harm[sizeof w->process.progress->fault], printed[OUTPUT_TEXT];
    const struct process_activity at = w->late ? w->at : process_activity(&w->process);
    runner_workers_stop(r, w, why ? 0 : ASKED_MS);
    bool harmed = !why && process_harmed(&w->process, harm, sizeof harm);
    uint32_t promise = atomic_load(&w->process.progress->promise);
    if (harmed)
        promise = strncmp(harm, "changed", 7) == 0 ? PROMISE_PROCESS_STATE : PROMISE_NONE;
    uint32_t culprit = find_culprit(w, &at, harmed);
    enum status status = STATUS_CRASH;
    if (w->late)
        status = STATUS_TIMEOUT;
    else if (harmed)
        status = STATUS_FAIL;
    else if (w->process.failed || (w->process.starved && r->config->jobs > 1))
        status = STATUS_HARNESS_ERROR; /* another worker may have taken the memory */
    const struct sequence_parts parts = w->process.progress->parts;
    r->judge_lost = status == STATUS_HARNESS_ERROR && w->process.failed && !(w->shrinking && parts.survived);
    process_describe(&w->process, harmed ? harm : why, false, how, sizeof how);
    process_describe(&w->process, harmed ? harm : why, true, r->last_death, sizeof r->last_death);
    process_printed(&w->process, printed);
    process_kill_orphans(NULL, 0);
    w->ended = w->process;
    w->process.pid = 0;
    r->deaths_without_result++;
    const bool again = r->judge_lost && runner_lose_judge(r, w, how);
    for (int i = w->queued - 1; i >= 0; i--) {
        struct batch *batch = &w->batches[i];
        bool blamed = i == 0 && culprit != UINT32_MAX && !again;
        if (blamed) {
            const struct death death = {.status = status,
                                        .promise = promise < PROMISE_COUNT ? (enum promise)promise : PROMISE_NONE,
                                        .how = how,
                                        .printed = printed,
                                        .parts = &parts};
            runner_workers_blame(r, batch->cases[culprit], &death);
            r->deaths_without_result = 0; /* the death is this case's result */
        }
        if (i == 0 && w->ready && !blamed && !again && at.stage != STAGE_IDLE)
            runner_run_alone(r, batch, status, CAUSE_CONDUCT, r->last_death);
        else
            runner_run_again(r, batch);
        if (blamed && r->cases[batch->cases[culprit]].done)
            runner_end_attempt(r, batch->cases[culprit]);
        free(batch->cases);
    }
    w->queued = 0;
    w->ready = w->late = false;
}

void runner_close_ended(struct runner *r)
{
    for (unsigned i = 0; i < r->config->jobs; i++)
        if (r->workers[i].ended.pid)
            process_close(&r->workers[i].ended);
}

void runner_retire_worker(struct runner *r, struct runner_worker *w)
{
    r->replaced = true;
    runner_workers_stop(r, w, 0);
    process_close(&w->process);
    process_kill_orphans(NULL, 0);
    for (int i = w->queued - 1; i >= 0; i--) {
        runner_run_again(r, &w->batches[i]);
        free(w->batches[i].cases);
    }
    w->queued = 0;
    w->ready = w->spent = false;
}

/* ---- end */

/* Closes a worker. The harm that its device does while it is closed, after its cases, is reported besides their
 * results. */
static void close_worker(struct runner *r, struct runner_worker *w, bool in_order)
{
    struct process *p = &w->process;
    char how[600], harm[400];
    for (int i = 0; i < w->queued; i++)
        free(w->batches[i].cases);
    if (p->pid == 0)
        return;
    bool good = runner_workers_stop(r, w, in_order ? CLOSE_MS : ASKED_MS);
    bool harmed = process_harmed(p, harm, sizeof harm), alone = p->failed && p->in_order && !harmed;
    p->failed &= alone; /* otherwise the end of the device's process is the one to describe */
    process_describe(p, NULL, true, how, sizeof how);
    process_close(p);
    if (good || !in_order || r->config->debugger) /* a debugger's status is its own */
        return;
    if (alone)
        fprintf(stderr, "assay: device '%s': %s, after the last case; the device was closed without it\n",
                r->config->device, how);
    else if (harmed)
        snprintf(r->total->closing, sizeof r->total->closing, "%s, after the last case", harm);
    else
        snprintf(r->total->closing, sizeof r->total->closing,
                 "ended while the device was closed, after the last case: %s", how);
}

void runner_close_workers(struct runner *r, bool in_order)
{
    char name[64] = "";
    profile_enter(PROFILE_WAIT);
    end_spare(r);
    runner_close_ended(r);
    bool cut_short = !in_order;
    for (unsigned i = 0; i < r->config->jobs; i++) {
        struct runner_worker *w = &r->workers[i];
        if (w->process.pid == 0 || (in_order && w->queued == 0))
            continue;
        process_terminate(&w->process);
        cut_short = true;
    }
    for (unsigned i = 0; i < r->config->jobs; i++)
        close_worker(r, &r->workers[i], in_order && r->workers[i].queued == 0);
    process_wait_judges();
    int orphans = process_kill_orphans(name, sizeof name);
    profile_enter(PROFILE_OTHER);
    if (orphans > 0 && !cut_short)
        snprintf(r->total->closing, sizeof r->total->closing, "left %d process%s behind, the first '%s'", orphans,
                 orphans == 1 ? "" : "es", name);
}
